import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { InvalidPayloadError, NotStorableError, PermanentError, type Violation } from './errors.js';
import { fingerprintOf } from './fingerprint.js';
import type { JobDefinition } from './job-definition.js';
import { planOf } from './payload-plan.js';
import { unreadableKeys, violationsOf } from './payload-faults.js';
import { toStoredJson } from './stored-json.js';
import { describeThrown } from './thrown.js';
import { isUnchecked } from './unchecked-payload.js';

/** A payload as a record keeps it, with the version and the fingerprint of the definition it was checked against. */
export interface StoredPayload {
  readonly json: string;
  readonly version: number;
  readonly fingerprint: number;
}

/**
 * A payload as an instance of its definition's class, checked against the class's rules; an unchecked one as it is.
 * @param plain parsed JSON; it becomes part of the payload and is not to be changed afterwards.
 * @param unknownFields `refuse` at a submit, where one is a mistake; `ignore` at a claim, where a newer version may have sent it.
 * @throws {InvalidPayloadError} naming every fault by its JSON pointer.
 */
export function parsePayload<P extends object>(
  definition: JobDefinition<P>,
  plain: unknown,
  unknownFields: 'refuse' | 'ignore',
): P {
  const object = objectOf(definition, plain);
  // Taken as it is: only the compiler knows its type.
  if (isUnchecked(definition.payload)) return object as P;
  const plan = planOf(definition.payload);
  const made = plan?.make(object, unknownFields === 'refuse');
  // Made by the class's own plan.
  if (made !== undefined && plan?.holds(made) === true) return made as P;
  return parseByLibraries(definition, object, unknownFields);
}

function parseByLibraries<P extends object>(definition: JobDefinition<P>, object: object, unknownFields: 'refuse' | 'ignore'): P {
  const unreadable = unknownFields === 'refuse' ? unreadableKeys(object, '') : [];
  if (unreadable.length > 0) throw new InvalidPayloadError(definition.type, unreadable);
  const payload = plainToInstance(definition.payload, object);
  const errors = validateSync(payload, RULES[unknownFields]);
  if (errors.length > 0) throw new InvalidPayloadError(definition.type, violationsOf(errors));
  return payload;
}

// A class without rules is no fault: it asks for nothing and, at a submit, knows no field.
const RULES = {
  refuse: { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false },
  ignore: { forbidUnknownValues: false },
};

/**
 * A stored payload as the handler gets it: upgraded when it is of an older version, and checked, unless it was checked at its
 * submit under the same rules. Fields that the class does not know are let through.
 * @throws {InvalidPayloadError} when it does not fit the class
 * @throws {PermanentError} with the code `upgrade_failed`
 */
export function readPayload<P extends object>(definition: JobDefinition<P>, stored: StoredPayload): P {
  const plain = parsed(definition, stored.json);
  if (stored.version < definition.version && definition.upgrade !== undefined) {
    return parsePayload(definition, upgraded(definition, stored.version, plain), 'ignore');
  }
  const isChecked =
    stored.fingerprint !== 0 && stored.version === definition.version && stored.fingerprint === fingerprintOf(definition);
  if (!isChecked) return parsePayload(definition, plain, 'ignore');
  const object = objectOf(definition, plain);
  if (isUnchecked(definition.payload)) return object as P;
  return (planOf(definition.payload)?.make(object, false) as P | undefined) ?? plainToInstance(definition.payload, object);
}

/** The payload as the JSON text that is stored; see {@link toStoredJson} for what is refused. */
export function payloadToJson(type: string, payload: object): string {
  try {
    return toStoredJson(payload);
  } catch (error) {
    throw error instanceof NotStorableError ? new InvalidPayloadError(type, error.violations) : error;
  }
}

function objectOf({ type }: JobDefinition, plain: unknown): object {
  if (typeof plain === 'object' && plain !== null && !Array.isArray(plain)) return plain;
  throw invalid(type, 'must be a JSON object');
}

function parsed({ type }: JobDefinition, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // The parser's own words quote the payload.
    throw invalid(type, 'is stored as a text that is no JSON');
  }
}

function invalid(type: string, detail: string): InvalidPayloadError {
  const whole: Violation = { pointer: '', detail };
  return new InvalidPayloadError(type, [whole]);
}

/** What `upgrade` makes, taken as if it had been submitted. */
function upgraded({ type, version, upgrade }: JobDefinition, from: number, plain: unknown): unknown {
  try {
    return JSON.parse(toStoredJson(upgrade?.(from, plain)));
  } catch (cause) {
    const { message } = describeThrown(cause);
    throw new PermanentError(`The payload of ${type} is of version ${from} and could not be upgraded to ${version}: ${message}`, {
      code: 'upgrade_failed',
      cause,
    });
  }
}
