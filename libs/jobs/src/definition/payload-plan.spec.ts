import 'reflect-metadata';
import { Exclude, Expose, Transform, Type, plainToInstance } from 'class-transformer';
import {
  Allow,
  IsArray,
  IsDefined,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  MaxLength,
  Min,
  Validate,
  ValidateBy,
  ValidateIf,
  ValidateNested,
  ValidatorConstraint,
  validateSync,
} from 'class-validator';
import fc from 'fast-check';
import { planOf } from './payload-plan.js';

class Inner {
  @IsString()
  text!: string;

  @IsOptional()
  @ValidateNested()
  @Type(() => Inner)
  again?: Inner;
}

class Base {
  @IsDefined()
  base!: unknown;
}

class Payload extends Base {
  @IsString()
  @MaxLength(3)
  text = 'abc';

  @ValidateIf((_payload, value) => value !== undefined)
  @IsInt()
  @Min(0)
  count?: number;

  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  texts?: string[];

  @IsOptional()
  @IsObject()
  free?: object;

  @Allow()
  anything?: unknown;

  @IsOptional()
  @ValidateNested()
  @Type(() => Inner)
  inner?: Inner;

  @IsOptional()
  @ValidateNested({ each: true })
  @Type(() => Inner)
  list?: Inner[];

  @IsOptional()
  @ValidateIf((payload: Payload) => payload.count === 1)
  @IsIn([1, 'a'], { validateIf: (payload: Payload) => payload.texts !== undefined })
  choice?: unknown;

  @ValidateBy({ name: 'short', validator: { validate: (value) => String(value).length < 12 } })
  short?: unknown;
}

const WHAT = {
  refuse: { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false },
  ignore: { forbidUnknownValues: false },
};

/** What the class libraries make of it; undefined when they refuse it. */
function byLibraries(Class: new () => object, plain: object, unknownFields: 'refuse' | 'ignore'): object | undefined {
  const made = plainToInstance(Class, structuredClone(plain));
  return validateSync(made, WHAT[unknownFields]).length === 0 ? made : undefined;
}

function byPlan(Class: new () => object, plain: object, unknownFields: 'refuse' | 'ignore'): object | undefined {
  const plan = planOf(Class);
  const made = plan?.make(plain, unknownFields === 'refuse');
  return made !== undefined && plan?.holds(made) === true ? made : undefined;
}

const full = {
  base: 1,
  text: 'ab',
  count: 1,
  texts: ['a'],
  free: { a: [{ b: null }] },
  anything: null,
  inner: { text: 'a', again: { text: 'b' } },
  list: [{ text: 'a' }, { text: 'b' }],
  choice: 'a',
  short: 1,
};

describe('a plan', () => {
  it('makes and passes what the class libraries do', () => {
    for (const plain of [
      full,
      { base: 0 },
      { base: 1, list: [] },
      { base: 1, list: [[{ text: 'a' }]] },
      { base: 1, inner: null },
    ]) {
      for (const unknownFields of ['refuse', 'ignore'] as const) {
        const made = byPlan(Payload, plain, unknownFields);
        expect(made).toBeInstanceOf(Payload);
        expect(made).toStrictEqual(byLibraries(Payload, plain, unknownFields));
      }
    }
  });

  it('lets unknown fields through at a claim only', () => {
    const plain = { base: 1, more: { a: 1 }, inner: { text: 'a', more: 2 } };
    expect(byPlan(Payload, plain, 'refuse')).toBeUndefined();
    expect(byPlan(Payload, plain, 'ignore')).toStrictEqual(byLibraries(Payload, plain, 'ignore'));
  });

  it('leaves all to the libraries when a class comes with a field that has no rule', () => {
    class WithUnknown {
      @IsString()
      text = 'a';

      more = 1;
    }
    expect(byPlan(WithUnknown, {}, 'refuse')).toBeUndefined();
    expect(byLibraries(WithUnknown, {}, 'refuse')).toBeUndefined();
    expect(byPlan(WithUnknown, {}, 'ignore')).toStrictEqual(byLibraries(WithUnknown, {}, 'ignore'));
  });

  it('does not take an object of a derived class for one whose rules it knows', () => {
    class Strict extends Inner {
      @IsInt()
      number = NaN;
    }
    class Holder {
      @ValidateNested()
      @Type(() => Inner)
      inner: Inner = Object.assign(new Strict(), { text: 'a' });
    }
    expect(byPlan(Holder, {}, 'ignore')).toBeUndefined();
    expect(byLibraries(Holder, {}, 'ignore')).toBeUndefined();
  });

  it.each(['__proto__', 'constructor', 'toString'])(
    'leaves an object with the key %s to the libraries, wherever it stands',
    (key) => {
      const odd = JSON.parse(`{"${key}":{"a":1}}`) as object;
      for (const plain of [
        Object.assign(JSON.parse(`{"${key}":1}`) as object, { base: 1 }),
        { base: 1, free: odd },
        { base: 1, inner: odd },
      ]) {
        expect(byPlan(Payload, plain, 'ignore')).toBeUndefined();
        expect(byPlan(Payload, plain, 'refuse')).toBeUndefined();
      }
    },
  );

  const value = fc.letrec<{ any: unknown; inner: unknown }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 2, depthIdentifier: 'payload' },
      fc.constantFrom<unknown>(null, true, 0, 1, -1, 1.5, '', 'a', 'abcd', 'a long text indeed'),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('text', 'again', 'then', 'length', 'x'), tie('any'), { maxKeys: 3, noNullPrototype: true }),
      tie('inner'),
    ),
    inner: fc.record({ text: fc.constantFrom<unknown>('a', 1), again: tie('any') }, { requiredKeys: [], noNullPrototype: true }),
  }));
  const field = fc.oneof(value.any, value.inner, fc.array(value.inner, { maxLength: 2 }), fc.array(fc.constantFrom('a', 'b')));
  const names = [...Object.keys(full), 'more'];
  // Mostly whole, so that many pass.
  const plains = fc
    .dictionary(fc.constantFrom(...names), field, { maxKeys: 2, noNullPrototype: true })
    .map((changes) => ({ ...full, ...changes }));

  it('agrees with the class libraries whatever the payload', () => {
    const seen = { passed: 0, refused: 0 };
    fc.assert(
      fc.property(plains, fc.constantFrom<('refuse' | 'ignore')[]>('refuse', 'ignore'), (plain, unknownFields) => {
        const made = byPlan(Payload, plain, unknownFields);
        expect(made).toStrictEqual(byLibraries(Payload, plain, unknownFields));
        seen[made === undefined ? 'refused' : 'passed'] += 1;
      }),
      { numRuns: 300 },
    );
    expect(Math.min(seen.passed, seen.refused)).toBeGreaterThan(30);
  });
});

class Transformed {
  @Transform(({ value }) => String(value))
  @IsString()
  text!: string;
}

class Exposed {
  @Expose({ name: 'words' })
  @IsString()
  text!: string;
}

@Exclude()
class Excluded {
  @IsString()
  text!: string;
}

class Dated {
  @IsDefined()
  @Type(() => Date)
  at!: Date;
}

class Chosen {
  @ValidateNested()
  @Type(() => Inner, { discriminator: { property: 'kind', subTypes: [{ name: 'inner', value: Inner }] } })
  inner!: Inner;
}

class Mapped {
  @ValidateNested()
  @Type(() => Inner)
  inner!: Map<string, Inner>;
}

class Untyped {
  @ValidateNested()
  inner!: Inner;
}

class Accessor {
  @IsString()
  get text(): string {
    return JSON.stringify(this);
  }
}

@ValidatorConstraint({ async: true })
class Later {
  validate(): Promise<boolean> {
    return Promise.resolve(false);
  }
}

class Asynchronous {
  @Validate(Later)
  text!: string;
}

class Holder {
  @ValidateNested()
  @Type(() => Transformed)
  inner!: Transformed;
}

describe('planOf', () => {
  it.each([Transformed, Exposed, Excluded, Dated, Chosen, Mapped, Untyped, Accessor, Asynchronous, Holder])(
    'leaves %p to the class libraries',
    (Class) => {
      expect(planOf(Class)).toBeUndefined();
    },
  );

  it('keeps the plan of a class', () => {
    expect(planOf(Payload)).toBe(planOf(Payload));
  });
});
