import { emailAddressFault } from '@antrean/catalog';
import { withoutFormulaGuard } from '@antrean/platform';
import { isISO31661Alpha2 } from 'class-validator';
import type { Column } from './header.js';
import type { RowFault } from './row-fault.js';

/** A customer as a row states it. What a row leaves empty, or its file has no column for, is null. */
export interface CustomerFields {
  readonly email: string;
  readonly name: string | null;
  readonly phone: string | null;
  /** Two capital letters of ISO 3166-1. */
  readonly country: string | null;
}

/** What the fields of a row say; empty where there is nothing or no such column. */
export type CustomerTexts = Readonly<Record<Column, string>>;

const MAX_NAME = 200;
const MAX_PHONE = 40;
/** Also those that turn the direction of what is written after them, in a mail or on an invoice. */
const CONTROL_CHARACTER = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** A customer, or what is wrong first. */
export function readCustomer(texts: CustomerTexts): CustomerFields | RowFault {
  const email = withoutFormulaGuard(texts.email);
  const name = withoutFormulaGuard(texts.name);
  const phone = withoutFormulaGuard(texts.phone);
  const country = texts.country.toUpperCase();
  return (
    emailFault(email) ??
    textFault('name', name, MAX_NAME) ??
    textFault('phone', phone, MAX_PHONE) ??
    countryFault(country) ?? { email, name: orNull(name), phone: orNull(phone), country: orNull(country) }
  );
}

function emailFault(email: string): RowFault | undefined {
  if (email === '') return { column: 'email', reason: 'email is empty. Every row needs an e-mail address.' };
  // It is refused for its length, whatever comes after.
  const fault = emailAddressFault(email.slice(0, 1_000));
  return fault === undefined ? undefined : { column: 'email', reason: `email ${fault}.` };
}

function textFault(column: Column, text: string, max: number): RowFault | undefined {
  if (CONTROL_CHARACTER.test(text)) {
    return {
      column,
      reason: `${column} has a line break, a tab, or another character in it that is not seen (U+${codeOf(text)}). Remove it.`,
    };
  }
  const length = Array.from(text).length;
  if (length > max) return { column, reason: `${column} has ${length} characters, at most ${max} are taken. Shorten it.` };
  return undefined;
}

function codeOf(text: string): string {
  const character = CONTROL_CHARACTER.exec(text)?.[0] ?? '';
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

function countryFault(country: string): RowFault | undefined {
  if (country === '' || isISO31661Alpha2(country)) return undefined;
  return { column: 'country', reason: 'country must be the two letters of ISO 3166-1, such as ID or DE, or empty.' };
}

function orNull(text: string): string | null {
  return text === '' ? null : text;
}
