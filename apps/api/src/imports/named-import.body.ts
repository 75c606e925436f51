import { IfGiven, Rule } from '../http/body-rules.js';

/** Files that clients put into the storage themselves. Of any other a client could read rows by the rejects of its import. */
const CLIENTS_FILES = 'uploads/';

const isText = (value: unknown): boolean => typeof value === 'string';
const isOfClients = (value: unknown): boolean => typeof value === 'string' && value.startsWith(CLIENTS_FILES);

/** An import whose file lies in the storage already. What its fields may hold beyond this is for the payload to say. */
export class NamedImportBody {
  @Rule(`must be the name of a file under ${CLIENTS_FILES}: other files are not for clients to name`, isOfClients, {
    type: 'string',
    maxLength: 512,
    pattern: `^${CLIENTS_FILES}[a-z0-9][a-z0-9._-]*(/[a-z0-9][a-z0-9._-]*)*$`,
    description: 'The name of a file in the storage; its parts end with a letter or digit.',
  })
  readonly file_key!: string;

  @Rule('must be given: the owner of the import', isText, {
    type: 'string',
    minLength: 1,
    maxLength: 128,
    description: 'The owner of the import.',
  })
  readonly user_id!: string;

  @IfGiven()
  @Rule('must be the name of a charset', isText, {
    type: 'string',
    maxLength: 40,
    description: 'By a label of the WHATWG Encoding Standard, such as windows-1252. Found out when it is left out.',
  })
  readonly charset?: string;
}
