import { unchecked } from '@antrean/jobs';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsInt, IsOptional, IsPositive, IsString, Max, ValidateNested } from 'class-validator';
import { classSchema, modern } from './class-schema.js';

class Size {
  @IsPositive()
  readonly width!: number;
}

class Item {
  @IsString()
  readonly sku!: string;

  @ValidateNested()
  @Type(() => Size)
  readonly size!: Size;
}

class Order {
  @IsInt()
  @Max(10)
  readonly count!: number;

  @IsOptional()
  @ValidateNested({ each: true })
  @ArrayMaxSize(5)
  @Type(() => Item)
  readonly items?: readonly Item[];
}

describe('the schema of a class', () => {
  const { schema, nested } = classSchema(Order, '#/$defs/');

  it('says what the rules say, and that nothing else is taken', () => {
    expect(schema).toEqual({
      type: 'object',
      properties: {
        count: { type: 'integer', maximum: 10 },
        items: { type: 'array', items: { $ref: '#/$defs/Item' }, maxItems: 5 },
      },
      required: ['count'],
      additionalProperties: false,
    });
  });

  it('is that of any object where the payload is unchecked', () => {
    expect(classSchema(unchecked<{ to: string }>(), '#/$defs/')).toEqual({ schema: { type: 'object' }, nested: {} });
  });

  it('brings the nested classes with it, at any depth', () => {
    expect(nested).toEqual({
      Item: {
        type: 'object',
        properties: { sku: { type: 'string' }, size: { $ref: '#/$defs/Size' } },
        required: ['sku', 'size'],
        additionalProperties: false,
      },
      Size: {
        type: 'object',
        properties: { width: { type: 'number', exclusiveMinimum: 0 } },
        required: ['width'],
        additionalProperties: false,
      },
    });
  });
});

describe('a schema in the modern dialect', () => {
  it('has exclusive bounds that are numbers', () => {
    const old = {
      anyOf: [
        { minimum: 1, exclusiveMinimum: true },
        { maximum: 9, exclusiveMaximum: false, minimum: 0 },
      ],
    };
    expect(modern(old)).toEqual({ anyOf: [{ exclusiveMinimum: 1 }, { maximum: 9, minimum: 0 }] });
  });

  it('is the same again when it was modern already', () => {
    const schema = {
      type: ['number', 'null'],
      exclusiveMinimum: 0,
      maximum: 5,
      enum: [1, null],
      properties: { minimum: { type: 'number' } },
    };
    expect(modern(schema)).toEqual(schema);
  });
});
