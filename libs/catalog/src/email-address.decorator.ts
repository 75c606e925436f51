import { domainToASCII } from 'node:url';
import { isEmail, ValidateBy, type ValidationArguments } from 'class-validator';
import { SINGLE_LINE } from './single-line.js';

const NON_ASCII = /[\u0080-\uffff]/;
const MAX_LENGTH = 254;

/** What a JSON schema can say of the same rules. */
export const EMAIL_ADDRESS_SCHEMA = {
  format: 'idn-email',
  maxLength: MAX_LENGTH,
  pattern: '^[!#-?A-~]+@[^@\\u0000-\\u0020\\u007f-\\u009f\\u2028\\u2029]+$',
};

/**
 * One bare e-mail address: no display name, no list, no quoted local part, at most 254 characters.
 * The local part is ASCII, as mail servers without SMTPUTF8 (RFC 6531) know no other. The domain may be
 * internationalised; it counts, and is sent, in its ASCII form (`xn--…`). A domain of one label, such as
 * `localhost`, is taken.
 */
export function IsEmailAddress(): PropertyDecorator {
  return ValidateBy({
    name: 'isEmailAddress',
    validator: {
      validate: (value: unknown) => emailAddressFault(value) === undefined,
      defaultMessage: (args?: ValidationArguments) => `${args?.property ?? 'value'} ${emailAddressFault(args?.value) ?? ''}`,
    },
  });
}

/** What is wrong with an e-mail address by the same rules, to be read after a name (`to must be …`); undefined when nothing is. */
export function emailAddressFault(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  if (!SINGLE_LINE.test(value)) return 'must not hold line breaks or other control characters';
  const at = value.lastIndexOf('@');
  const local = value.slice(0, Math.max(at, 0));
  if (NON_ASCII.test(local)) return 'must have ASCII characters only before the "@"';
  const ascii = `${local}@${domainToASCII(value.slice(at + 1))}`;
  if (ascii.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters, the domain in its ASCII form`;
  // The rules' own quoted local parts may hold line breaks, so quotes are refused altogether.
  return isEmail(ascii, { require_tld: false, allow_utf8_local_part: false, blacklisted_chars: '"' })
    ? undefined
    : 'must be one e-mail address such as budi@example.com, without a display name';
}
