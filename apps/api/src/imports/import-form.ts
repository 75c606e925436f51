import { checkBody, invalidFields } from '../http/body-faults.js';
import { IfGiven, Rule } from '../http/body-rules.js';

const isText = (value: unknown): boolean => typeof value === 'string';

/** The fields of an upload beside its file. What they may hold is for the payload to say. */
class ImportForm {
  @Rule('must be given, once: the owner of the import', isText, { type: 'string' })
  readonly user_id!: string;

  @IfGiven()
  @Rule('may be given once', isText, { type: 'string' })
  readonly charset?: string;
}

/** @throws {ProblemError} `invalid_request`, with every fault there is. */
export function parseImportForm(fields: object): ImportForm {
  const { body, faults } = checkBody(ImportForm, fields, []);
  if (faults.length > 0) throw invalidFields(faults);
  return body;
}
