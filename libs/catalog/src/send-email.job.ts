import { Length, Matches } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { defineJob, exponential } from '@antrean/jobs';
import { EMAIL_ADDRESS_SCHEMA, IsEmailAddress } from './email-address.decorator.js';
import { FLAT_VARIABLES_SCHEMA, IsFlatVariables, type FlatVariables } from './flat-variables.decorator.js';
import { IfGiven } from './if-given.decorator.js';
import { SINGLE_LINE } from './single-line.js';

const oneLine = { message: '$property must not hold line breaks or other control characters' };

/**
 * One mail to one recipient. No field may hold a line break or another control character, so none can add a header
 * field to the mail; such a payload is refused at submit.
 */
export class SendEmailPayload {
  /** See {@link IsEmailAddress} for what is taken and how international addresses are treated. */
  @IsEmailAddress()
  @JSONSchema({
    ...EMAIL_ADDRESS_SCHEMA,
    description: 'One bare address. The part before the "@" is ASCII; an international domain is sent in its ASCII form.',
  })
  readonly to!: string;

  /** A folder of the worker's templates. Which ones exist is known to the worker only. */
  @Matches(/^[a-z][a-z0-9-]{0,63}$/, {
    message: '$property must be the name of a template: lower-case letters, digits and "-", a letter first, at most 64',
  })
  @JSONSchema({ description: 'Name of a mail template of the worker, such as welcome.' })
  readonly template!: string;

  /** Taken as it stands, instead of the subject that the template makes. */
  @IfGiven()
  @Matches(SINGLE_LINE, oneLine)
  @Length(1, 255, { message: '$property must have 1 to 255 characters' })
  @JSONSchema({ description: "Replaces the template's own subject; taken as it stands." })
  readonly subject?: string;

  @IfGiven()
  @IsFlatVariables()
  @JSONSchema(() => ({
    ...FLAT_VARIABLES_SCHEMA,
    description: 'What the template is filled with. Names it does not use are ignored.',
  }))
  readonly variables?: FlatVariables;

  /** The same key never sends a second mail: it is the job's dedupe key, and the delivery ledger keeps it after that. */
  @IfGiven()
  @Matches(SINGLE_LINE, oneLine)
  @Length(1, 255, { message: '$property must have 1 to 255 characters' })
  @JSONSchema({ description: 'Names this mail. A mail whose key was sent is not sent again.' })
  readonly message_key?: string;
}

/** Sends one mail made from a template. */
export const SendEmail = defineJob('email.send', {
  payload: SendEmailPayload,
  concurrency: { worker: 50 },
  // 15 s for the ledger, 30 s for the mail, 10 s for its record.
  timeout: '60s',
  attempts: 5,
  // It cannot kill its worker: one that dies under it, again and again, dies of something else.
  maxCrashes: 10,
  // Greylisting servers take a mail only minutes after they first refused it: the last wait is drawn from up to 320 s.
  retry: exponential({ base: '5s', factor: 4, cap: '10m' }),
  dedupe: { key: ({ message_key }) => message_key, policy: 'ttl', onDuplicate: 'conflict' },
});
