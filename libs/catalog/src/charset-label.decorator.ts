import { ValidateBy } from 'class-validator';

/** The bytes of its characters are those of quotes and commas, told apart only by what stood before them. */
const UNREADABLE = 'iso-2022-jp';

/** A label of the Encoding Standard (encoding.spec.whatwg.org), for a charset whose rows can be told apart. */
export function IsCharsetLabel(): PropertyDecorator {
  return ValidateBy(
    { name: 'isCharsetLabel', validator: { validate: isCharsetLabel } },
    {
      message:
        '$property must be a label of a charset, such as utf-8, utf-16le, windows-1252 or iso-8859-2, of at most 40 characters ' +
        `and not ${UNREADABLE}. Leave it out to have the charset found out`,
    },
  );
}

function isCharsetLabel(value: unknown): boolean {
  if (typeof value !== 'string' || !/^[a-z0-9][a-z0-9_.:()-]{0,39}$/i.test(value)) return false;
  try {
    return new TextDecoder(value).encoding !== UNREADABLE;
  } catch {
    return false;
  }
}
