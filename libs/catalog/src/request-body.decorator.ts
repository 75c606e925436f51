import { ValidateBy, type ValidationArguments } from 'class-validator';
import { contentTypeIn, isJsonType } from './request-headers.decorator.js';

/** What a JSON schema can say of {@link IsRequestBody}. */
export const REQUEST_BODY_SCHEMA = {
  anyOf: (['object', 'array', 'string', 'number', 'boolean'] as const).map((type) => ({ type })),
  description:
    'A text is sent as it is, in UTF-8, and needs the header Content-Type; any other value is sent as JSON. GET and HEAD have none.',
};

/** A text that comes with its content type, or any other JSON value but null. Not with GET and HEAD. */
export function IsRequestBody(): PropertyDecorator {
  return ValidateBy({
    name: 'isRequestBody',
    validator: {
      validate: (value: unknown, args?: ValidationArguments) => faultOf(value, args?.object) === undefined,
      defaultMessage: (args?: ValidationArguments) => `${args?.property ?? 'value'} ${faultOf(args?.value, args?.object) ?? ''}`,
    },
  });
}

function faultOf(body: unknown, request: { readonly method?: unknown; readonly headers?: unknown } = {}): string | undefined {
  const { method, headers } = request;
  if (method === 'GET' || method === 'HEAD') return `must be left out with the method ${method}`;
  if (body === null) return 'must not be null: leave it out to send none';
  const contentType = contentTypeIn(headers);
  if (typeof body === 'string') {
    return contentType === undefined
      ? 'is a text, which is sent as it is: the header Content-Type must say what it is'
      : undefined;
  }
  return contentType === undefined || isJsonType(contentType)
    ? undefined
    : 'is sent as JSON, and the header Content-Type says otherwise: leave that out, or send the body as a text';
}
