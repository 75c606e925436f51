import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';

interface About {
  readonly description?: string;
  readonly example?: unknown;
}

/** Fields of answers, for the OpenAPI document. Every field is always present; where it can be null, its name here says so. */
export const Text = (about: About = {}) => ApiProperty({ type: String, ...about });
export const NullableText = (about: About = {}) => ApiProperty({ type: String, nullable: true, ...about });
export const Whole = (about: About = {}) => ApiProperty({ type: 'integer', minimum: 0, ...about });
export const NullableWhole = (about: About = {}) => ApiProperty({ type: 'integer', minimum: 0, nullable: true, ...about });
export const Seconds = (about: About = {}) => ApiProperty({ type: Number, minimum: 0, ...about });
export const NullableSeconds = (about: About = {}) => ApiProperty({ type: Number, minimum: 0, nullable: true, ...about });
export const Time = (about: About = {}) => ApiProperty({ type: String, format: 'date-time', ...about });
export const NullableTime = (about: About = {}) => ApiProperty({ type: String, format: 'date-time', nullable: true, ...about });
export const Flag = (about: About = {}) => ApiProperty({ type: Boolean, ...about });
export const OneOf = (words: readonly string[], about: About = {}) => ApiProperty({ type: String, enum: [...words], ...about });

/** A value of any JSON type. */
export const ANY_JSON = {
  anyOf: [
    { type: 'object', additionalProperties: true },
    { type: 'array', items: {} },
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'null' },
  ],
};

/** A field that is always null in this version; clients may rely on it being there. */
export const NotYet = (description: string) =>
  applyDecorators(ApiProperty({ type: 'null', description: `${description} Always null in this version.` }));
