import { DEDUPE_KEYS, IDEMPOTENCY_KEYS, unexplainedKeys } from './keys-at-rest.js';

const TYPES = ['a.run', 'b.run'];
const AT_REST = [
  'chaos:{WORKERS}:presence',
  'chaos:{PROBE}:probe',
  'chaos:{SWEEPS}:turn',
  ...TYPES.flatMap((type) => ['layout', 'origin', 'seq', 'workers', 'lanes', 'idle'].map((kind) => `chaos:{${type}}:${kind}`)),
];
const of = (count: number, nameOf: (nth: number) => string) => Array.from({ length: count }, (_, nth) => nameOf(nth));

describe('the keys that are left when all is quiet', () => {
  it('are explained by types, by workers, and by what clients hold for some time', () => {
    const once = of(IDEMPOTENCY_KEYS, (nth) => `chaos:{a.run}:once:${nth}`);
    const dedupe = TYPES.flatMap((type) => of(DEDUPE_KEYS, (nth) => `chaos:{${type}}:dedupe:${nth}`));
    expect(unexplainedKeys([...AT_REST, ...once, ...dedupe], 'chaos', TYPES)).toEqual([]);
  });

  it.each(['chaos:{a.run}:job:1', 'chaos:{a.run}:ghosts', 'chaos:{a.run}:outgoing', 'chaos:{c.run}:seq'])(
    'are not with %s',
    (key) => {
      expect(unexplainedKeys([...AT_REST, key], 'chaos', TYPES)).toEqual([key]);
    },
  );

  it('are not when there are more than clients can have taken', () => {
    const once = of(IDEMPOTENCY_KEYS + 2, (nth) => `chaos:{a.run}:once:${nth}`);
    expect(unexplainedKeys(once, 'chaos', TYPES)).toHaveLength(2);
  });
});
