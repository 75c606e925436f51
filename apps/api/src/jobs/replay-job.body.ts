import { checkBody, invalidFields } from '../http/body-faults.js';
import { IfGiven, IsPlainObject } from '../http/body-rules.js';

/** The body of a replay, which may be left out. */
export class ReplayJobBody {
  @IfGiven()
  @IsPlainObject({ description: 'What the job is to run with instead. Its options and its dedupe key stay as they are.' })
  readonly payload?: object;
}

/** @throws {ProblemError} `invalid_request`, with every fault there is. */
export function parseReplay(object: object): { readonly payload?: object } {
  const { body, faults } = checkBody(ReplayJobBody, object, []);
  if (faults.length > 0) throw invalidFields(faults);
  return body.payload === undefined ? {} : { payload: body.payload };
}
