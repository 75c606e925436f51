import fc from 'fast-check';
import { DEDUPE_POLICIES } from '../definition/job-definition.js';
import { JOB_STATUSES } from '../definition/job-status.js';
import {
  UnreadableRecordError,
  decodeHeader,
  decodeRecord,
  encodeNewRecord,
  encodeToken,
  statusOf,
  type Facts,
  type NewRecord,
} from './record.js';

const LETTERS = ['s', 'q', 'p', 'r', 'S', 'F', 'C', 'E'];
const MAX_48 = 2 ** 48 - 1;

/** What enqueue.lua, and the scripts after it, put before a new record; see the layout in record.ts. */
interface State {
  readonly letter: string;
  readonly cancelRequested: boolean;
  readonly hasExtra: boolean;
  readonly suspect: boolean;
  readonly attempt: number;
  readonly runs: number;
  readonly crashes: number;
  readonly crashesInAll: number;
  readonly snoozes: number;
  readonly replays: number;
  readonly revision: number;
  readonly dueAt: number;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly worker: bigint;
  readonly lane: number;
  readonly call: number;
  readonly seq: number;
  readonly createdAt: number;
  readonly expiresAt: number;
}

function withState(state: State, rest: Buffer): Buffer {
  const head = Buffer.alloc(69);
  head.writeUInt8(1, 0);
  head.write(state.letter, 1, 'latin1');
  head.writeUInt8((state.cancelRequested ? 1 : 0) + (state.hasExtra ? 2 : 0) + (state.suspect ? 8 : 0), 2);
  head.writeUInt16LE(state.attempt, 3);
  head.writeUInt16LE(state.runs, 5);
  head.writeUInt8(state.crashes, 7);
  head.writeUInt8(state.crashesInAll, 8);
  head.writeUInt16LE(state.snoozes, 9);
  head.writeUInt16LE(state.replays, 11);
  head.writeUInt32LE(state.revision, 15);
  head.writeUIntLE(state.dueAt, 19, 6);
  head.writeUIntLE(state.startedAt, 25, 6);
  head.writeUIntLE(state.finishedAt, 31, 6);
  encodeToken(state.worker, state.lane, state.call).copy(head, 37);
  head.writeUIntLE(state.seq, 51, 6);
  head.writeUIntLE(state.createdAt, 57, 6);
  head.writeUIntLE(state.expiresAt, 63, 6);
  return Buffer.concat([head, rest]);
}

const uint16 = fc.nat(65_535);
const uint48 = fc.nat(Number.MAX_SAFE_INTEGER).map((n) => n % (MAX_48 + 1));
const text = fc.string({
  unit: fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), fc.constantFrom('\0', '\n', '}', '€', '😀')),
});
const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'.split('')), minLength: length, maxLength: length });

const states: fc.Arbitrary<State> = fc.record({
  letter: fc.constantFrom(...LETTERS),
  cancelRequested: fc.boolean(),
  hasExtra: fc.boolean(),
  suspect: fc.boolean(),
  attempt: uint16,
  runs: uint16,
  crashes: fc.nat(255),
  crashesInAll: fc.nat(255),
  snoozes: uint16,
  replays: uint16,
  revision: fc.nat(2 ** 32 - 1),
  dueAt: uint48,
  startedAt: uint48,
  finishedAt: uint48,
  worker: fc.bigInt({ min: 0n, max: 2n ** 52n - 1n }),
  lane: fc.nat(255),
  call: uint48,
  seq: uint48,
  createdAt: uint48,
  expiresAt: uint48,
});

const facts: fc.Arbitrary<Facts> = fc.record(
  {
    requestId: text,
    tracestate: text,
    userId: text,
    tags: fc.array(text),
    metadata: fc.dictionary(
      text.filter((key) => key !== '__proto__'),
      text,
    ),
    backoff: fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown),
  },
  { requiredKeys: [] },
);

const newRecords: fc.Arbitrary<NewRecord> = fc.record({
  priority: fc.nat(9),
  maxAttempts: uint16,
  timeoutMs: fc.nat(86_400_000),
  payloadVersion: uint16,
  fingerprint: fc.nat(2 ** 32 - 1),
  trace: fc.record({ traceId: hex(32), parentId: hex(16), flags: fc.nat(255) }),
  dedupe: fc.option(fc.record({ policy: fc.constantFrom(...DEDUPE_POLICIES), key: text.filter((key) => key !== '') }), {
    nil: undefined,
  }),
  facts,
  payloadJson: fc.oneof(fc.json(), text),
});

/** As UTF-8 leaves it. */
const stored = (value: string): string => value.toWellFormed();

const STATE: State = {
  letter: 'q',
  cancelRequested: false,
  hasExtra: false,
  suspect: false,
  attempt: 0,
  runs: 0,
  crashes: 0,
  crashesInAll: 0,
  snoozes: 0,
  replays: 0,
  revision: 1,
  dueAt: 1,
  startedAt: 0,
  finishedAt: 0,
  worker: 0n,
  lane: 0,
  call: 0,
  seq: 1,
  createdAt: 1,
  expiresAt: 0,
};

const PLAIN: NewRecord = {
  priority: 5,
  maxAttempts: 5,
  timeoutMs: 30_000,
  payloadVersion: 1,
  fingerprint: 0,
  trace: { traceId: '0af7651916cd43dd8448eb211c80319c', parentId: 'b7ad6b7169203331', flags: 1 },
  dedupe: { policy: 'ttl', key: 'key' },
  facts: { requestId: 'r' },
  payloadJson: '{"a":1}',
};

describe('a record', () => {
  it('is read as what it was written from, in every state and with any key, facts and payload', () => {
    fc.assert(
      fc.property(states, newRecords, (state, record) => {
        const { worker, lane, call, letter, ...counters } = state;
        const { dedupe, ...submitted } = record;
        expect(decodeRecord(withState(state, encodeNewRecord(record)))).toEqual({
          ...counters,
          ...submitted,
          status: JOB_STATUSES.find((status) => statusOf(letter) === status),
          token: encodeToken(worker, lane, call),
          workerNumber: String(worker),
          dedupePolicy: dedupe?.policy,
          dedupeKey: dedupe === undefined ? undefined : stored(dedupe.key),
          payloadJson: stored(record.payloadJson),
        });
      }),
      { numRuns: 500 },
    );
  });

  it('has a header that tells the same without the rest', () => {
    fc.assert(
      fc.property(states, newRecords, (state, record) => {
        const whole = withState(state, encodeNewRecord(record));
        const { dedupeKey: _key, facts: _facts, payloadJson: _payload, ...header } = decodeRecord(whole);
        expect(decodeHeader(whole.subarray(0, 114))).toEqual(header);
      }),
    );
  });

  it('takes 114 bytes and what the submit brings: nothing for what is unset', () => {
    const bare = withState(STATE, encodeNewRecord({ ...PLAIN, dedupe: undefined, facts: {} }));
    expect(bare).toHaveLength(114 + '{"a":1}'.length);
    expect(bare.toString('latin1', 114)).toBe('{"a":1}');
    expect(decodeRecord(bare)).toMatchObject({ dedupeKey: undefined, facts: {} });
  });

  it('has its fields where the scripts look for them', () => {
    const bytes = withState(STATE, encodeNewRecord(PLAIN));
    expect(bytes[69]).toBe(5);
    expect(bytes[70]).toBe(1);
    expect(bytes.readUInt16LE(71)).toBe(5);
    expect([bytes.readUInt16LE(108), bytes.readUInt16LE(110), bytes.readUInt16LE(112)]).toEqual([3, 0, 17]);
    expect(bytes.toString('utf8', 114)).toBe('key{"requestId":"r"}{"a":1}');
    expect(DEDUPE_POLICIES.map((policy) => encodeNewRecord({ ...PLAIN, dedupe: { policy, key: 'k' } })[1])).toEqual([1, 2, 3, 4]);
  });

  it.each([PLAIN, { ...PLAIN, facts: {} }])('cut anywhere before its payload is refused', (record) => {
    const whole = withState(STATE, encodeNewRecord(record));
    const payloadStart = whole.length - PLAIN.payloadJson.length;
    for (let length = 0; length < payloadStart; length += 1) {
      expect(() => decodeRecord(whole.subarray(0, length))).toThrow(UnreadableRecordError);
    }
    expect(decodeRecord(whole.subarray(0, payloadStart)).payloadJson).toBe('');
  });

  it.each<[string, (bytes: Buffer) => void]>([
    ['of another layout', (bytes) => bytes.writeUInt8(2, 0)],
    ['of no layout', (bytes) => bytes.writeUInt8(0, 0)],
    ['with an unknown status', (bytes) => bytes.write('x', 1, 'latin1')],
    ['with a status of the wrong case', (bytes) => bytes.write('Q', 1, 'latin1')],
    ['whose facts are no JSON', (bytes) => bytes.write('[', 114 + 'key'.length, 'latin1')],
    ['whose lengths lead past its end', (bytes) => bytes.writeUInt16LE(60_000, 108)],
  ])('%s is refused', (_what, spoil) => {
    const bytes = withState(STATE, encodeNewRecord(PLAIN));
    spoil(bytes);
    expect(() => decodeRecord(bytes)).toThrow(UnreadableRecordError);
  });

  it('says which layout it is in when that is not this one', () => {
    const bytes = withState(STATE, encodeNewRecord(PLAIN));
    bytes.writeUInt8(7, 0);
    expect(() => decodeHeader(bytes)).toThrow(
      `A record of ${bytes.length} bytes in layout 7 cannot be read; this version reads layout 1.`,
    );
    expect(() => decodeHeader(Buffer.alloc(0))).toThrow(
      'A record of 0 bytes in layout none cannot be read; this version reads layout 1.',
    );
  });

  it('of any bytes is read or refused as unreadable, never anything else', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.uint8Array({ minLength: 114, maxLength: 200 }).map((array) => Uint8Array.from([1, 113, ...array.slice(2)])),
    );
    fc.assert(
      fc.property(bytes, (array) => {
        try {
          decodeRecord(Buffer.from(array));
        } catch (error) {
          expect(error).toBeInstanceOf(UnreadableRecordError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('statusOf', () => {
  it('knows a letter for every status and no other', () => {
    expect(LETTERS.map(statusOf).toSorted()).toEqual([...JOB_STATUSES].sort());
    for (const letter of ['', 'x', 'qq', 'R', '!', '?']) expect(() => statusOf(letter)).toThrow(UnreadableRecordError);
  });
});

describe('a token', () => {
  it('differs for every worker, lane and call', () => {
    const claims = fc.tuple(fc.bigInt({ min: 0n, max: 2n ** 52n - 1n }), fc.nat(1), uint48);
    fc.assert(
      fc.property(claims, claims, (one, other) => {
        expect(encodeToken(...one).equals(encodeToken(...other))).toBe(one.join() === other.join());
      }),
    );
  });

  it('has 14 bytes', () => {
    expect(encodeToken(2n ** 52n - 1n, 1, MAX_48)).toHaveLength(14);
  });
});
