import { TEXT_BOUNDS, isFitText, type EnqueueOptions } from '@antrean/jobs';
import { isText } from '../http/body-rules.js';

/** The owner of a payload as that of its job. What is no owner is for the payload to refuse: clients know no option of that name here. */
export function ownerOption(owner: unknown): Pick<EnqueueOptions, 'userId'> {
  return isText(owner, TEXT_BOUNDS.userId) && isFitText(owner) ? { userId: owner } : {};
}
