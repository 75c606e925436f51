import { Length, Matches, MaxLength } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { defineJob, exponential } from '@antrean/jobs';
import { IsCharsetLabel } from './charset-label.decorator.js';
import { IfGiven } from './if-given.decorator.js';
import { SINGLE_LINE } from './single-line.js';

/** Where the file is and whose import it is, never its rows. */
export class ImportCustomersPayload {
  @MaxLength(512, { message: '$property must have at most 512 characters' })
  @Matches(/^[a-z0-9][a-z0-9._-]*(?:\/[a-z0-9][a-z0-9._-]*)*$/, {
    message:
      '$property must be the name of a file in the storage: parts of lower-case letters, digits, ".", "_" and "-" between slashes',
  })
  @JSONSchema({ description: 'The file in the storage: CSV with a header, one of whose columns is email.' })
  readonly file_key!: string;

  @Matches(SINGLE_LINE, { message: '$property must not hold line breaks or other control characters' })
  @Length(1, 128, { message: '$property must have 1 to 128 characters' })
  @JSONSchema({ description: 'The owner of the import.' })
  readonly user_id!: string;

  @IfGiven()
  @IsCharsetLabel()
  @JSONSchema({
    type: 'string',
    maxLength: 40,
    description: 'By a label of the WHATWG Encoding Standard, such as windows-1252. Found out when it is left out.',
  })
  readonly charset?: string;
}

/**
 * Writes the customers of a file: new ones, and those that are known by their e-mail. It goes on at its checkpoint, which is kept
 * with the customers in one transaction. Result: `{read, imported, updated, rejected}`, in rows.
 */
export const ImportCustomers = defineJob('import.customers', {
  payload: ImportCustomersPayload,
  // A client that named any file could read those of others by its rejects.
  internal: true,
  concurrency: { worker: 2 },
  timeout: '1h',
  attempts: 8,
  retry: exponential({ base: '5s', cap: '10m' }),
  maxCrashes: 10,
});
