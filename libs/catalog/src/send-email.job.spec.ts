import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { targetConstructorToSchema } from 'class-validator-jsonschema';
import Ajv from 'ajv/dist/2020.js';
import { SendEmail, SendEmailPayload } from './send-email.job.js';

const valid = { to: 'budi@example.com', template: 'welcome' };

function faults(payload: Record<string, unknown>): string[] {
  const errors = validateSync(plainToInstance(SendEmailPayload, payload), { whitelist: true, forbidNonWhitelisted: true });
  return errors.flatMap(({ constraints }) => Object.values(constraints ?? {}));
}

describe('the payload of email.send', () => {
  it.each([
    valid,
    { ...valid, to: 'budi+orders@sub.example.co.id' },
    { ...valid, to: 'root@localhost' },
    { ...valid, to: 'budi@bücher.example' },
    { ...valid, to: "o'hara@example.com" },
    { ...valid, subject: 'Selamat datang, Budi 🎉' },
    { ...valid, variables: { name: 'Budi', count: 3, vip: true, half: 0.5 } },
    { ...valid, variables: {} },
    { ...valid, message_key: 'order/42: confirmation' },
    { ...valid, message_key: 'k'.repeat(255) },
  ])('takes %j', (payload) => {
    expect(faults(payload)).toEqual([]);
  });

  it.each([
    ['', 'to must be one e-mail address such as budi@example.com, without a display name'],
    ['budi', 'to must be one e-mail address such as budi@example.com, without a display name'],
    ['Budi <budi@example.com>', 'to must be one e-mail address such as budi@example.com, without a display name'],
    ['a@example.com,b@example.com', 'to must be one e-mail address such as budi@example.com, without a display name'],
    ['a@example.com; b@example.com', 'to must be one e-mail address such as budi@example.com, without a display name'],
    ['a@b@example.com', 'to must be one e-mail address such as budi@example.com, without a display name'],
    ['"budi"@example.com', 'to must be one e-mail address such as budi@example.com, without a display name'],
    ['budi@', 'to must be one e-mail address such as budi@example.com, without a display name'],
    ['budi@[127.0.0.1]', 'to must be one e-mail address such as budi@example.com, without a display name'],
    ['budi@exa mple.com', 'to must be one e-mail address such as budi@example.com, without a display name'],
    [' budi@example.com', 'to must be one e-mail address such as budi@example.com, without a display name'],
    ['büdi@example.com', 'to must have ASCII characters only before the "@"'],
    [`budi@${`${'a'.repeat(60)}.`.repeat(5)}com`, 'to must have at most 254 characters, the domain in its ASCII form'],
    [7, 'to must be a string'],
    [null, 'to must be a string'],
    [undefined, 'to must be a string'],
    [['budi@example.com'], 'to must be a string'],
  ])('refuses the address %j', (to, fault) => {
    expect(faults({ ...valid, to })).toEqual([fault]);
  });

  const injections = ['\r\n', '\n', '\r', '\0', '\t', '\u007f', '\u0085', '\u2028'].map((text) => `x${text}Bcc: eve@example.com`);

  it.each(injections)('refuses %j wherever it could reach a header field', (text) => {
    expect(faults({ ...valid, to: `budi@example.com${text}` })).toEqual([
      'to must not hold line breaks or other control characters',
    ]);
    expect(faults({ ...valid, to: `"${text}"@example.com` })).toEqual([
      'to must not hold line breaks or other control characters',
    ]);
    expect(faults({ ...valid, subject: text })).toEqual(['subject must not hold line breaks or other control characters']);
    expect(faults({ ...valid, message_key: text })).toEqual([
      'message_key must not hold line breaks or other control characters',
    ]);
    expect(faults({ ...valid, variables: { name: text } })).toEqual([
      'variables must be flat: "name" must not hold line breaks or other control characters',
    ]);
    expect(faults({ ...valid, template: text })).toHaveLength(1);
  });

  it.each(['../welcome', 'Welcome', 'welcome.hbs', '', '-a', 'a'.repeat(65), 5, null])(
    'refuses the template name %j',
    (template) => {
      expect(faults({ ...valid, template })).toEqual([
        'template must be the name of a template: lower-case letters, digits and "-", a letter first, at most 64',
      ]);
    },
  );

  it.each<[string, unknown, string]>([
    ['a list', [], 'must be an object of names and values, such as {"name": "Budi"}'],
    ['a text', 'name=Budi', 'must be an object of names and values, such as {"name": "Budi"}'],
    ['null', null, 'must be an object of names and values, such as {"name": "Budi"}'],
    ['a nested object', { user: { name: 'Budi' } }, 'must be flat: "user" must be a string, a number or a boolean'],
    ['a nested list', { names: ['Budi'] }, 'must be flat: "names" must be a string, a number or a boolean'],
    ['null as a value', { name: null }, 'must be flat: "name" must be a string, a number or a boolean'],
    [
      'a digit first',
      { '9lives': 1 },
      'must be flat: "9lives" is no name: ASCII letters, digits and "_", a letter first, at most 64',
    ],
    [
      'a dot in a name',
      { 'a.b': 1 },
      'must be flat: "a.b" is no name: ASCII letters, digits and "_", a letter first, at most 64',
    ],
    ['a long text', { n: 'x'.repeat(4_097) }, 'must be flat: "n" must have at most 4096 characters, it has 4097'],
    [
      'too many',
      Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`v${i}`, i])),
      'must have at most 100 entries, it has 101',
    ],
  ])('refuses variables with %s', (_fault, variables, fault) => {
    expect(faults({ ...valid, variables })).toEqual([`variables ${fault}`]);
  });

  it.each([
    ['subject', ''],
    ['subject', 'x'.repeat(256)],
    ['message_key', ''],
    ['message_key', 'x'.repeat(256)],
  ])('refuses a %s of the wrong length', (field, text) => {
    expect(faults({ ...valid, [field]: text })).toEqual([`${field} must have 1 to 255 characters`]);
  });

  it.each(['subject', 'variables', 'message_key'])('refuses null for %s, which may only be left out', (field) => {
    expect(faults({ ...valid, [field]: null })).not.toEqual([]);
  });
});

describe('the JSON schema of email.send', () => {
  const schema = targetConstructorToSchema(SendEmailPayload);

  it('says what the rules say', () => {
    expect(schema.required).toEqual(['to', 'template']);
    const check = new Ajv.default({ validateFormats: false }).compile(schema);
    expect(check({ ...valid, subject: 'Hi', variables: { name: 'Budi', n: 1 }, message_key: 'k' })).toBe(true);
    expect(check({ ...valid, subject: 'Hi\r\nBcc: eve@example.com' })).toBe(false);
    expect(check({ ...valid, to: 'budi@bücher.example' })).toBe(true);
    expect(check({ ...valid, to: 'büdi@example.com' })).toBe(false);
    expect(check({ ...valid, to: 'budi@example.com\r\nBcc: eve@example.com' })).toBe(false);
    expect(check({ ...valid, template: '../x' })).toBe(false);
    expect(check({ ...valid, variables: { user: {} } })).toBe(false);
    expect(check({ ...valid, variables: { 'a.b': 1 } })).toBe(false);
    expect(check({ ...valid, message_key: '' })).toBe(false);
  });
});

describe('the policy of email.send', () => {
  it('takes the message key as dedupe key', () => {
    expect(SendEmail.dedupe.key(plainToInstance(SendEmailPayload, { ...valid, message_key: 'order-42' }))).toBe('order-42');
    expect(SendEmail.dedupe.key(plainToInstance(SendEmailPayload, valid))).toBeUndefined();
  });

  it('blames no mail for what kills worker after worker', () => {
    expect(SendEmail.maxCrashes).toBe(10);
  });
});
