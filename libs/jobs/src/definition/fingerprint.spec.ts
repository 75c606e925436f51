import 'reflect-metadata';
import { Exclude, Expose, Transform, Type } from 'class-transformer';
import {
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  Validate,
  ValidateBy,
  ValidateIf,
  ValidateNested,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { fingerprintOf } from './fingerprint.js';
import { defineJob, type PayloadClass } from './job-definition.js';
import { unchecked } from './unchecked-payload.js';

type Fields = Readonly<Record<string, readonly PropertyDecorator[]>>;

/** A payload class made anew, as another build would make it. */
function classOf(fields: Fields, Parent: PayloadClass = Object): PayloadClass {
  class Made extends Parent {
    constructor() {
      super();
      for (const name of Object.keys(fields)) Object.assign(this, { [name]: undefined });
    }
  }
  for (const [name, decorators] of Object.entries(fields)) for (const decorate of decorators) decorate(Made.prototype, name);
  return Made;
}

const of = (payload: PayloadClass, version = 1, type = 'order.place') => fingerprintOf(defineJob(type, { payload, version }));
const ofFields = (fields: Fields) => of(classOf(fields));

const base = (): Fields => ({ id: [IsString(), MaxLength(5)], count: [IsInt(), Min(0)] });

describe('fingerprintOf', () => {
  it('is a whole number of 32 bits, the same for the same definition and for one that another build makes', () => {
    const definition = defineJob('order.place', { payload: classOf(base()) });
    const fingerprint = fingerprintOf(definition);
    expect(Number.isInteger(fingerprint) && fingerprint > 0 && fingerprint < 2 ** 32).toBe(true);
    expect(fingerprintOf(definition)).toBe(fingerprint);
    expect(ofFields(base())).toBe(fingerprint);
  });

  it('is the same in every process', () => {
    expect(ofFields(base())).toBe(1_276_471_212);
  });

  it('does not heed the order of fields and rules, messages, the name of the class, or policy', () => {
    const fingerprint = ofFields(base());
    expect(ofFields({ count: [Min(0), IsInt()], id: [MaxLength(5), IsString()] })).toBe(fingerprint);
    expect(ofFields({ ...base(), id: [IsString({ message: 'No.' }), MaxLength(5)] })).toBe(fingerprint);
    expect(fingerprintOf(defineJob('order.place', { payload: classOf(base()), attempts: 9 }))).toBe(fingerprint);
  });

  it('counts inherited rules as own ones', () => {
    const { id = [], count = [] } = base();
    expect(of(classOf({ id }, classOf({ count })))).toBe(ofFields(base()));
  });

  const changed: readonly [string, Fields][] = [
    ['a bound', { ...base(), count: [IsInt(), Min(1)] }],
    ['a rule less', { ...base(), count: [IsInt()] }],
    ['a rule more', { ...base(), count: [IsInt(), Min(0), Max(9)] }],
    ['a rule at another field', { id: [IsString(), MaxLength(5), IsInt()], count: [Min(0)] }],
    ['a field renamed', { key: [IsString(), MaxLength(5)], count: [IsInt(), Min(0)] }],
    ['a field more', { ...base(), more: [] }],
    ['a field that may be left out', { ...base(), count: [IsInt(), Min(0), IsOptional()] }],
    ['a condition', { ...base(), count: [IsInt(), Min(0), ValidateIf((_payload, value) => value !== undefined)] }],
    ['another condition', { ...base(), count: [IsInt(), Min(0), ValidateIf((_payload, value) => value !== null)] }],
    ['a condition of one rule', { ...base(), count: [IsInt({ validateIf: (_payload, value) => value !== null }), Min(0)] }],
    ['a rule for each entry', { ...base(), count: [IsInt({ each: true }), Min(0)] }],
    ['a rule for a group', { ...base(), count: [IsInt({ groups: ['a'] }), Min(0)] }],
    ['a type', { ...base(), count: [IsInt(), Min(0), Type(() => Number)] }],
    ['a transform', { ...base(), count: [IsInt(), Min(0), Transform(({ value }) => Number(value))] }],
    ['another transform', { ...base(), count: [IsInt(), Min(0), Transform(({ value }) => Number(value) + 1)] }],
    ['another name outside', { ...base(), count: [IsInt(), Min(0), Expose({ name: 'n' })] }],
    ['a field that is left out', { ...base(), count: [IsInt(), Min(0), Exclude()] }],
    ['a pattern', { ...base(), id: [Matches(/^a$/)] }],
    ['another pattern', { ...base(), id: [Matches(/^a$/i)] }],
    ['choices', { ...base(), id: [IsIn(['a', 'b'])] }],
    ['choices, one more', { ...base(), id: [IsIn(['a', 'b', 'c'])] }],
    ['a validator of its own', { ...base(), id: [ValidateBy({ name: 'odd', validator: { validate: () => true } })] }],
    ['one of another name', { ...base(), id: [ValidateBy({ name: 'even', validator: { validate: () => true } })] }],
    [
      'one of other constraints',
      { ...base(), id: [ValidateBy({ name: 'odd', constraints: [3], validator: { validate: () => true } })] },
    ],
  ];

  it('changes with every rule and every field, each time to another number', () => {
    const all = [ofFields(base()), ...changed.map(([, fields]) => ofFields(fields))];
    expect(all).not.toContain(0);
    const twins = changed.filter(([, fields], index) => all.indexOf(ofFields(fields)) !== index + 1).map(([what]) => what);
    expect(twins).toEqual([]);
  });

  it('changes with type and version', () => {
    const Payload = classOf(base());
    expect(new Set([of(Payload), of(Payload, 2), of(Payload, 1, 'order.cancel')]).size).toBe(3);
  });

  it('changes with a rule of a nested class, however deep, and copes with a class that holds itself', () => {
    const holding = (inner: Fields) => {
      const Inner = classOf(inner);
      const Middle: PayloadClass = classOf({
        inner: [ValidateNested(), Type(() => Inner)],
        middle: [IsOptional(), ValidateNested(), Type(() => Middle)],
      });
      return of(classOf({ list: [ValidateNested({ each: true }), Type(() => Middle)] }));
    };
    expect(holding(base())).toBe(holding(base()));
    expect(holding(base())).not.toBe(0);
    expect(holding({ ...base(), count: [IsInt()] })).not.toBe(holding(base()));
  });

  it('changes with a nested class that is chosen by a field', () => {
    const choosing = (name: string, fields: Fields) => {
      const options = { discriminator: { property: 'kind', subTypes: [{ name, value: classOf(fields) }] } };
      return ofFields({ inner: [ValidateNested(), Type(() => Object, options)] });
    };
    expect(choosing('a', base())).toBe(choosing('a', base()));
    expect(new Set([choosing('a', base()), choosing('b', base()), choosing('a', {}), 0]).size).toBe(4);
  });

  it('changes with what a validator class does', () => {
    const withValidator = (validator: new () => ValidatorConstraintInterface) => {
      ValidatorConstraint({ name: 'good' })(validator);
      return ofFields({ id: [Validate(validator)] });
    };
    const lax = withValidator(
      class {
        validate() {
          return true;
        }
      },
    );
    const strict = withValidator(
      class {
        validate() {
          return false;
        }
      },
    );
    expect(new Set([lax, strict, 0]).size).toBe(3);
  });

  it('knows unchecked payloads as what they are', () => {
    expect(of(unchecked())).not.toBe(0);
    expect(of(unchecked())).not.toBe(of(classOf({})));
  });

  const most = 3;
  const isGood = (value: unknown): boolean => value !== most;

  class WithMethod {
    @IsString()
    id!: string;

    isGood(): boolean {
      return this.id !== '';
    }
  }

  class WithGetter {
    @IsString()
    id!: string;

    get short(): boolean {
      return this.id === '';
    }
  }

  class WithDefaultInstance {
    @IsString()
    id = new WithMethod();
  }

  class Throws {
    @IsString()
    id: unknown = JSON.parse('');
  }

  it.each<[string, PayloadClass]>([
    ['a condition that reads a variable', classOf({ id: [IsString(), ValidateIf((_payload, value) => value !== most)] })],
    ['a condition that calls a function', classOf({ id: [IsString(), ValidateIf((_payload, value) => isGood(value))] })],
    [
      'a condition of one rule that reads a variable',
      classOf({ id: [IsString({ validateIf: (_payload, value) => value !== most })] }),
    ],
    ['a transform that reads a variable', classOf({ id: [IsString(), Transform(({ value }) => (isGood(value) ? 1 : 2))] })],
    ['a type that depends on the data', classOf({ id: [Type((options) => (options === undefined ? Number : String))] })],
    ['a type that is not there', classOf({ id: [Type(() => undefined as never)] })],
    ['a type that throws', classOf({ id: [Type(() => JSON.parse('') as never)] })],
    ['a validator without a name', classOf({ id: [ValidateBy({ name: '', validator: { validate: () => true } })] })],
    ['a constraint that no text stands for', classOf({ id: [IsIn([Symbol('a')])] })],
    ['a method', WithMethod],
    ['an accessor', WithGetter],
    ['an inherited method', classOf({}, WithMethod)],
    ['a nested class with a method', classOf({ inner: [ValidateNested(), Type(() => WithMethod)] })],
    ['a default that no text stands for', WithDefaultInstance],
    ['a class that cannot be made', Throws],
  ])('is 0, never trusted, for %s', (_what, Payload) => {
    expect(of(Payload)).toBe(0);
  });
});
