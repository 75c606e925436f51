import type { WebhookSecrets } from '../webhooks/webhook-secrets.js';
import { Wrong, type Variable } from './variable.js';

const NAME = /^[A-Za-z0-9._-]{1,64}$/;
const PREFIX = 'whsec_';
const LEAST_BYTES = 24;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** Each is one more signature in a header of every message. */
const MOST_SECRETS = 5;

/** What webhooks are signed with. Messages name an entry by its place only: it may be a secret itself. */
export const webhookSecrets: Variable<WebhookSecrets> = {
  name: 'WEBHOOK_SECRETS',
  expected:
    'a comma list of name=secret, the name that of an API key ("default" without keys), the secret whsec_ and the base64 of ' +
    `at least ${LEAST_BYTES} bytes, during a rotation several joined by |, the newest first`,
  fallback: new Map(),
  secret: true,
  parse: (text) => {
    const byName = new Map<string, readonly Buffer[]>();
    for (const [index, entry] of text.split(',').entries()) {
      const fault = addEntry(byName, entry.trim());
      if (fault !== undefined) return new Wrong(`entry ${index + 1}: ${fault}`);
    }
    return byName;
  },
};

function addEntry(byName: Map<string, readonly Buffer[]>, entry: string): string | undefined {
  const equals = entry.indexOf('=');
  const name = entry.slice(0, Math.max(equals, 0)).trim();
  if (equals < 0) return 'it is not of the form name=secret';
  if (!NAME.test(name)) return 'its name is not 1 to 64 letters, digits, ".", "_" or "-"';
  if (byName.has(name)) return 'its name stands there twice';
  const texts = entry
    .slice(equals + 1)
    .split('|')
    .map((text) => text.trim());
  if (texts.length > MOST_SECRETS) return `it has more than ${MOST_SECRETS} secrets`;
  const secrets: Buffer[] = [];
  for (const [index, text] of texts.entries()) {
    const secret = parseSecret(text);
    if (typeof secret === 'string') return `its secret ${index + 1} ${secret}`;
    secrets.push(secret);
  }
  byName.set(name, secrets);
  return undefined;
}

/** The bytes of a secret, or what is wrong with it. */
function parseSecret(text: string): Buffer | string {
  if (!text.startsWith(PREFIX)) return `does not begin with ${PREFIX}`;
  const base64 = text.slice(PREFIX.length);
  const bytes = Buffer.from(base64, 'base64');
  // Node passes over what is no base64.
  if (!BASE64.test(base64) || bytes.toString('base64').replace(/=+$/, '') !== base64.replace(/=+$/, '')) return 'is no base64';
  return bytes.length < LEAST_BYTES ? `has ${bytes.length} bytes, at least ${LEAST_BYTES} are needed` : bytes;
}
