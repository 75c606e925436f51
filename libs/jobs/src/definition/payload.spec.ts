import 'reflect-metadata';
import { Type } from 'class-transformer';
import { IsArray, IsInt, IsOptional, IsString, Length, Max, MaxLength, Min, ValidateIf, ValidateNested } from 'class-validator';
import { InvalidPayloadError, PermanentError, type Violation } from './errors.js';
import { fingerprintOf } from './fingerprint.js';
import { defineJob, type PayloadClass } from './job-definition.js';
import { parsePayload, payloadToJson, readPayload } from './payload.js';
import { DISCREET, Sensitive } from './sensitive.decorator.js';
import { unchecked } from './unchecked-payload.js';

class Line {
  @IsString()
  'a/b~c'!: string;

  @IsInt()
  count!: number;
}

class Address {
  @IsString()
  city!: string;
}

class Order {
  @IsString()
  @MaxLength(5)
  to!: string;

  @IsOptional()
  @ValidateNested()
  @Type(() => Address)
  address?: Address;

  @IsOptional()
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Line)
  lines?: Line[];
}

/** Nothing is asked for. */
class Nothing {
  toJSON(): object {
    return {};
  }
}

const longest = 5;

class Unknowable {
  @ValidateIf((_payload, value) => value !== longest)
  @MaxLength(5)
  to!: string;
}

class Token {
  @Sensitive()
  @Length(5, 5, { message: 'must have 5 characters', ...DISCREET })
  @IsString()
  token!: string;
}

class Login {
  @Sensitive()
  @IsString({ message: 'who has $value as password?' })
  @MaxLength(5, { message: ({ value }) => `${value} is too long` })
  password!: string;

  @Sensitive()
  @IsOptional()
  @ValidateNested({ each: true })
  @Type(() => Line)
  lines?: Line[];

  @IsOptional()
  @ValidateNested()
  @Type(() => Login)
  former?: Login;
}

class Untyped {
  @ValidateNested()
  address!: Address;
}

const parse = (plain: unknown, unknownFields: 'refuse' | 'ignore' = 'refuse', payload: PayloadClass = Order) =>
  parsePayload(defineJob('order.place', { payload }), plain, unknownFields);

function faultsOf(
  plain: unknown,
  unknownFields: 'refuse' | 'ignore' = 'refuse',
  payload: PayloadClass = Order,
): readonly Violation[] {
  try {
    parse(plain, unknownFields, payload);
  } catch (error) {
    if (error instanceof InvalidPayloadError) return error.violations;
    throw error;
  }
  return [];
}

function messageOf(plain: unknown): string {
  try {
    parse(plain);
  } catch (error) {
    if (error instanceof InvalidPayloadError) return error.message;
    throw error;
  }
  return 'taken';
}

const pointersOf = (violations: readonly Violation[]): string[] => violations.map(({ pointer }) => pointer);

describe('parsePayload', () => {
  it('answers with an instance of the class, nested ones too', () => {
    const plain = { to: 'a', address: { city: 'b' }, lines: [{ 'a/b~c': 'x', count: 1 }] };
    const order = parse(plain);
    expect(order).toBeInstanceOf(Order);
    expect(order).toEqual(plain);
    // The definition's class is what the test gave it.
    const { address, lines } = order as Order;
    expect(address).toBeInstanceOf(Address);
    expect(lines?.[0]).toBeInstanceOf(Line);
  });

  it.each([undefined, null, 'text', 1, true, [], [{ to: 'a' }]])('refuses %j, which is no JSON object', (plain) => {
    for (const unknownFields of ['refuse', 'ignore'] as const) {
      expect(faultsOf(plain, unknownFields)).toEqual([{ pointer: '', detail: 'must be a JSON object' }]);
    }
  });

  it('names every fault with the pointer to it', () => {
    const plain = {
      to: 123456,
      address: { city: 1 },
      lines: [{ 'a/b~c': 'x', count: 1 }, { 'a/b~c': 2, count: 'x' }, 'no line'],
    };
    const pointers = pointersOf(faultsOf(plain));
    expect([...new Set(pointers)].toSorted()).toEqual(['/address/city', '/lines/1/a~1b~0c', '/lines/1/count', '/lines/2', '/to']);
    // Two rules of the field are broken.
    expect(pointers.filter((pointer) => pointer === '/to')).toHaveLength(2);
  });

  it('names type and faults in the message', () => {
    expect(() => parse({ to: 'abcdef' })).toThrow(
      'The payload does not fit order.place: /to: to must be shorter than or equal to 5 characters',
    );
  });

  it('tells the first five faults in the message, places cut short, and how many more there are', () => {
    const plain = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`${index}`.padEnd(1_000, 'x'), 1]));
    const message = messageOf(plain);
    expect(message.endsWith(`; and ${faultsOf(plain).length - 5} more`)).toBe(true);
    expect(message.length).toBeLessThan(1_500);
  });

  it('refuses an object of more than 1,000 fields at a submit, with one fault and before it costs anything', () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`field${index}`, 1]));
    const detail = 'must have at most 1000 fields, it has 20000';
    expect(faultsOf(many)).toEqual([{ pointer: '', detail }]);
    expect(faultsOf({ to: 'a', lines: [many] })).toEqual([{ pointer: '/lines/0', detail }]);
    expect(pointersOf(faultsOf({ to: 'a', lines: Array.from({ length: 1_001 }, () => ({ 'a/b~c': 'x', count: 1 })) }))).toEqual(
      [],
    );
  });

  it('refuses unknown fields at a submit, wherever they stand and whatever they are called', () => {
    const plain = JSON.parse(
      '{"to":"a","~":1,"a/b":2,"":3,"address":{"city":"b","zip":"c"},"lines":[{"a/b~c":"x","count":1,"then":1}]}',
    ) as unknown;
    const faults = faultsOf(plain);
    expect(pointersOf(faults).toSorted()).toEqual(['/', '/address/zip', '/a~1b', '/lines/0/then', '/~0'].toSorted());
    expect(Object.fromEntries(faults.map(({ pointer, detail }) => [pointer, detail]))).toMatchObject({
      '/~0': 'is not a known field, known are address, lines, to',
      '/address/zip': 'is not a known field, known are city',
      '/lines/0/then': 'is not a known field, known are a/b~c, count',
    });
  });

  it('refuses the names that every object inherits, wherever they stand, and ignores them at a claim', () => {
    const plain = JSON.parse(
      '{"to":"a","constructor":1,"address":{"city":"b","__proto__":{"c":1}},"lines":[{"toString":1}]}',
    ) as unknown;
    const faults = faultsOf(plain);
    expect(pointersOf(faults)).toEqual(['/constructor', '/address/__proto__', '/lines/0/toString']);
    expect(faults.every(({ detail }) => detail === 'has a name that is reserved')).toBe(true);
    expect(parse({ to: 'a', toString: 1 }, 'ignore')).toBeInstanceOf(Order);
  });

  it('ignores unknown fields at a claim, but no broken rule', () => {
    expect(parse({ to: 'a', more: 1, address: { city: 'b', zip: 'c' } }, 'ignore')).toMatchObject({
      to: 'a',
      address: { city: 'b' },
    });
    expect(pointersOf(faultsOf({ to: 1, more: 1 }, 'ignore'))).toContain('/to');
  });

  it('never repeats a sensitive value in what it says of it, nor one inside of it', () => {
    const bad = { password: 'my-secret', lines: [{ 'a/b~c': 'x', count: 'my-secret' }, 'my-secret'] };
    const plain = { ...bad, former: bad };
    for (const unknownFields of ['refuse', 'ignore'] as const) {
      const faults = faultsOf(plain, unknownFields, Login);
      expect(new Set(pointersOf(faults))).toEqual(
        new Set(['/password', '/lines/0/count', '/lines/1', '/former/password', '/former/lines/0/count', '/former/lines/1']),
      );
      expect(JSON.stringify(faults)).not.toContain('my-secret');
      expect(faults).toContainEqual({
        pointer: '/former/password',
        detail: 'breaks the rule maxLength; the value is sensitive and not shown',
      });
    }
  });

  it('tells of a sensitive value what a rule says that vouches for its own words', () => {
    expect(faultsOf({ token: 'secret' }, 'refuse', Token)).toEqual([{ pointer: '/token', detail: 'must have 5 characters' }]);
    expect(faultsOf({ token: 7 }, 'refuse', Token)).toEqual([
      { pointer: '/token', detail: 'breaks the rule isString; the value is sensitive and not shown' },
      { pointer: '/token', detail: 'must have 5 characters' },
    ]);
  });

  it('names twenty of the known fields at most', () => {
    class Wide extends Nothing {}
    for (let n = 10; n < 35; n++) IsOptional()(Wide.prototype, `f${n}`);
    const [fault] = faultsOf({ a: 1 }, 'refuse', Wide);
    expect(fault?.detail).toMatch(/^is not a known field, known are f10, (f\d\d, ){18}f29, and 5 more$/);
  });

  it('says first that a value is of the wrong kind, whatever other rules it breaks', () => {
    class Bounded {
      @IsInt() @Min(1) @Max(60) readonly seconds!: number;
    }
    expect(faultsOf({ seconds: '3' }, 'refuse', Bounded)[0]?.detail).toBe('seconds must be an integer number');
  });

  it('takes a class without rules: it asks for nothing and knows no field', () => {
    expect(parse({}, 'refuse', Nothing)).toBeInstanceOf(Nothing);
    expect(faultsOf({ a: 1 }, 'refuse', Nothing)).toContainEqual({ pointer: '/a', detail: 'is not a known field' });
    expect(parse({ a: 1 }, 'ignore', Nothing)).toBeInstanceOf(Nothing);
  });

  it('refuses what a nested class is not named for, with a pointer', () => {
    expect(pointersOf(faultsOf({ address: { city: 'b' } }, 'refuse', Untyped))).toEqual(['/address/city']);
  });

  it('is not changed by what came in later', () => {
    const plain = { to: 'a', address: { city: 'b' } };
    const order = parse(plain);
    plain.address.city = 'c';
    expect(order).toEqual({ to: 'a', address: { city: 'b' } });
  });

  it('lets a payload change no prototype', () => {
    const parsed = parse(JSON.parse('{"to":"a","__proto__":{"polluted":true}}'), 'ignore');
    expect(parsed).toBeInstanceOf(Order);
    expect('polluted' in parsed).toBe(false);
    expect('polluted' in {}).toBe(false);
  });
});

describe('payloadToJson', () => {
  it('writes what JSON can hold', () => {
    expect(payloadToJson('order.place', { a: [1, null, 'é😀'], b: undefined })).toBe('{"a":[1,null,"é😀"]}');
  });

  it('refuses what it cannot, naming type and place', () => {
    expect(() => payloadToJson('order.place', { price: { net: NaN } })).toThrow(
      new InvalidPayloadError('order.place', [{ pointer: '/price/net', detail: 'is NaN, which JSON cannot hold' }]),
    );
    expect(() => payloadToJson('order.place', () => undefined)).toThrow(InvalidPayloadError);
  });
});

describe('readPayload', () => {
  const old = { json: '{"to":"a"}', version: 1, fingerprint: 0 };

  it('checks a payload that was not checked under the same rules, and lets unknown fields through', () => {
    const definition = defineJob('order.place', { payload: Order });
    const json = '{"to":"abcdef","more":1}';
    for (const fingerprint of [0, fingerprintOf(definition) - 1]) {
      expect(() => readPayload(definition, { json, version: 1, fingerprint })).toThrow(InvalidPayloadError);
      expect(readPayload(definition, { json: '{"to":"a","more":1}', version: 1, fingerprint })).toMatchObject({ to: 'a' });
    }
  });

  it('trusts the check at the submit when the rules were the same, and makes an instance all the same', () => {
    const definition = defineJob('order.place', { payload: Order });
    const json = '{"to":"abcdef","address":{"city":1},"lines":[{}]}';
    const order = readPayload(definition, { json, version: 1, fingerprint: fingerprintOf(definition) });
    expect(order).toBeInstanceOf(Order);
    expect(order.address).toBeInstanceOf(Address);
    expect(order.lines?.[0]).toBeInstanceOf(Line);
    expect(order).toEqual(JSON.parse(json));
  });

  it('trusts no fingerprint of another version, and none of a class that cannot be known', () => {
    const json = '{"to":"abcdef"}';
    const definition = defineJob('order.place', { payload: Order, version: 2 });
    expect(() => readPayload(definition, { json, version: 1, fingerprint: fingerprintOf(definition) })).toThrow(
      InvalidPayloadError,
    );
    const unknown = defineJob('order.place', { payload: Unknowable });
    expect(fingerprintOf(unknown)).toBe(0);
    expect(() => readPayload(unknown, { json, version: 1, fingerprint: 0 })).toThrow(InvalidPayloadError);
  });

  it('upgrades an older payload before it is checked', () => {
    const calls: unknown[] = [];
    const definition = defineJob('order.place', {
      payload: Order,
      version: 3,
      upgrade: (from, payload) => {
        calls.push([from, payload]);
        return { to: 'b', lines: [{ 'a/b~c': 'x', count: 1 }] };
      },
    });
    const order = readPayload(definition, { json: '{"mail":"a"}', version: 1, fingerprint: fingerprintOf(definition) });
    expect(order).toBeInstanceOf(Order);
    expect(order).toMatchObject({ to: 'b', lines: [{ count: 1 }] });
    expect(calls).toEqual([[1, { mail: 'a' }]]);
  });

  it('does not upgrade a payload of the same version or a newer one', () => {
    const upgrade = () => {
      throw new Error('Not to be called.');
    };
    const definition = defineJob('order.place', { payload: Order, version: 2, upgrade });
    for (const version of [2, 3]) expect(readPayload(definition, { ...old, version })).toEqual({ to: 'a' });
  });

  it('checks an older payload as it is where there is no upgrade', () => {
    const definition = defineJob('order.place', { payload: Order, version: 2 });
    expect(readPayload(definition, old)).toEqual({ to: 'a' });
    expect(() => readPayload(definition, { ...old, json: '{}' })).toThrow(InvalidPayloadError);
  });

  it('refuses what an upgrade makes when it does not fit', () => {
    const definition = defineJob('order.place', { payload: Order, version: 2, upgrade: () => ({ to: 1 }) });
    expect(() => readPayload(definition, old)).toThrow(InvalidPayloadError);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('No such field.');
      },
    ],
    ['answers nothing', () => undefined],
    ['answers a promise', () => Promise.resolve({ to: 'a' })],
    ['answers what JSON cannot hold', () => ({ to: 'a', lines: new Map() })],
  ])('buries a job for good when the upgrade %s', (_what, upgrade) => {
    const definition = defineJob('order.place', { payload: Order, version: 2, upgrade });
    const thrown = thrownBy(() => readPayload(definition, old));
    expect(thrown).toBeInstanceOf(PermanentError);
    expect(thrown).toMatchObject({
      code: 'upgrade_failed',
      message: expect.stringMatching(/^The payload of order.place is of version 1 and could not be upgraded to 2: ./) as string,
    });
  });

  it('hands an unchecked payload on as it was parsed', () => {
    const definition = defineJob('ping', { payload: unchecked<{ to: string }>() });
    for (const fingerprint of [0, fingerprintOf(definition)]) {
      expect(readPayload(definition, { json: '{"to":1}', version: 1, fingerprint })).toEqual({ to: 1 });
    }
  });

  it('says that a text is no JSON without quoting it', () => {
    const thrown = thrownBy(() => readPayload(defineJob('order.place', { payload: Order }), { ...old, json: 'secret' }));
    expect(thrown).toBeInstanceOf(InvalidPayloadError);
    expect((thrown as InvalidPayloadError).message).not.toContain('secret');
  });

  it.each(['null', '[]', '1'])('refuses %s, which is no object, whatever its fingerprint', (json) => {
    const definition = defineJob('order.place', { payload: Order });
    const stored = { json, version: 1, fingerprint: fingerprintOf(definition) };
    expect(() => readPayload(definition, stored)).toThrow(InvalidPayloadError);
  });
});

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}
