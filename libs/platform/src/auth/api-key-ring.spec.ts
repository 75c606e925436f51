import { createHash } from 'node:crypto';
import type { ApiKey } from './api-key.js';
import { ApiKeyRing } from './api-key-ring.js';

const sha256 = (key: string): string => createHash('sha256').update(key).digest('hex');
const KEYS: readonly ApiKey[] = [
  { name: 'shop', sha256: sha256('shop-key'), scopes: ['submit'] },
  { name: 'ops', sha256: sha256('ops-key'), scopes: ['read', 'manage'] },
];

describe('ApiKeyRing', () => {
  const ring = new ApiKeyRing(KEYS);

  it('knows a caller by the key, whatever the case of the scheme', () => {
    expect(ring.identify('Bearer shop-key')).toEqual({ name: 'shop', scopes: ['submit'] });
    expect(ring.identify('bearer  ops-key ')).toEqual({ name: 'ops', scopes: ['read', 'manage'] });
  });

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearer shop-key2',
    'Bearer shop',
    'Basic shop-key',
    'shop-key',
    'Bearer shop-key ops-key',
    `Bearer ${sha256('shop-key')}`,
  ])('knows nobody by %j', (header) => {
    expect(ring.identify(header)).toBeUndefined();
  });

  it('says whether anybody needs a key', () => {
    expect(ring.isEmpty).toBe(false);
    expect(new ApiKeyRing([]).isEmpty).toBe(true);
    expect(new ApiKeyRing([]).identify('Bearer shop-key')).toBeUndefined();
  });
});
