import { Wrong, type Variable } from '../config/variable.js';
import { SCOPES, type ApiKey, type Scope } from './api-key.js';

const NAME = /^[A-Za-z0-9._-]{1,64}$/;
const SHA256 = /^[0-9a-f]{64}$/i;

/** The keys of all clients. Messages name an entry by its place only: people do paste a key where its name belongs. */
export const apiKeys: Variable<readonly ApiKey[]> = {
  name: 'API_KEYS',
  expected: `a comma list of name:sha256:scopes, the SHA-256 of the key in hex, the scopes joined by + (${SCOPES.join(', ')})`,
  fallback: [],
  secret: true,
  parse: (text) => {
    const keys: ApiKey[] = [];
    for (const [index, entry] of text.split(',').entries()) {
      const key = parseEntry(entry.trim());
      if (key instanceof Wrong) return new Wrong(`entry ${index + 1}: ${key.because}`);
      if (keys.some(({ name }) => name === key.name)) return new Wrong(`entry ${index + 1}: its name stands there twice`);
      if (keys.some(({ sha256 }) => sha256 === key.sha256)) return new Wrong(`entry ${index + 1}: its hash stands there twice`);
      keys.push(key);
    }
    return keys;
  },
};

function parseEntry(entry: string): ApiKey | Wrong {
  const [name = '', sha256 = '', scopeList = '', ...more] = entry.split(':');
  if (more.length > 0) return new Wrong('it has more than three parts');
  if (!NAME.test(name)) return new Wrong('its name is not 1 to 64 letters, digits, ".", "_" or "-"');
  if (!SHA256.test(sha256)) return new Wrong('its hash is not 64 hex digits');
  const scopes = scopeList.split('+').map(parseScope);
  if (!scopes.every((scope) => scope !== undefined)) return new Wrong('its scopes are not all known');
  return { name, sha256: sha256.toLowerCase(), scopes: [...new Set(scopes)] };
}

function parseScope(text: string): Scope | undefined {
  return SCOPES.find((scope) => scope === text);
}
