import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PermanentError } from '@antrean/jobs';
import { MailTemplates } from './mail-templates.js';

const SHIPPED = join(import.meta.dirname, '../templates');

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown.');
}

describe('the shipped mail templates', () => {
  it.each([
    ['welcome', { name: 'Budi' }, 'Welcome, Budi'],
    ['order-confirmation', { name: 'Budi', order_id: 'A-42', total: 'Rp 120.000' }, 'Your order A-42'],
    ['report-ready', { name: 'Budi', report: 'sales', url: 'https://example.com/r/1' }, 'Your report sales is ready'],
  ])('render %s', async (name, variables, subject) => {
    const mail = (await MailTemplates.load(SHIPPED)).render(name, variables);
    expect(mail.subject).toBe(subject);
    for (const value of Object.values(variables)) {
      expect(mail.text).toContain(value);
      expect(mail.html).toContain(value);
    }
    expect(mail.html).toContain(`<title>${subject}</title>`);
    expect(mail.html).toMatch(/^<!doctype html>\n<html lang="en"/);
  });
});

describe('mail templates', () => {
  let templates: MailTemplates;

  beforeAll(async () => {
    templates = await MailTemplates.load(SHIPPED);
  });

  it.each(['nope', '', '__proto__', 'constructor', 'layout.hbs'])(
    'say which templates there are when %j is asked for',
    (name) => {
      const error = thrownBy(() => templates.render(name, {}));
      expect(error).toBeInstanceOf(PermanentError);
      expect(error).toMatchObject({
        code: 'unknown_template',
        message: `There is no mail template "${name}". Known templates: order-confirmation, report-ready, welcome.`,
      });
    },
  );

  it('name every variable that is missing', () => {
    const error = thrownBy(() => templates.render('order-confirmation', { name: 'Budi' }));
    expect(error).toBeInstanceOf(PermanentError);
    expect(error).toMatchObject({
      code: 'missing_variables',
      message: 'The mail template "order-confirmation" needs variables that are not given: order_id, total.',
    });
  });

  it('ignore variables that the template does not name', () => {
    expect(templates.render('welcome', { name: 'Budi', age: 42 }).subject).toBe('Welcome, Budi');
  });

  it.each(['\r\n', '\n', '\r', '\0', '\u0085', '\u2028'])('refuse a subject that %j would split', (text) => {
    const error = thrownBy(() => templates.render('welcome', { name: `Budi${text}Bcc: eve@example.com` }));
    expect(error).toBeInstanceOf(PermanentError);
    expect(error).toMatchObject({ code: 'bad_subject' });
    expect(thrownBy(() => templates.render('welcome', { name: 'Budi' }, `Hi${text}Bcc: eve@example.com`))).toMatchObject({
      code: 'bad_subject',
    });
  });

  it('refuse a subject that the variables make too long', () => {
    expect(templates.render('welcome', { name: 'x'.repeat(246) }).subject).toHaveLength(255);
    expect(thrownBy(() => templates.render('welcome', { name: 'x'.repeat(247) }))).toMatchObject({
      code: 'bad_subject',
      message: 'The subject of the mail template "welcome" would have 256 characters; it must have 1 to 255.',
    });
  });
});

describe('a folder of mail templates', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'templates-'));
    await writeFile(join(folder, 'layout.hbs'), '{{> @partial-block}}');
    await mkdir(join(folder, 'note'));
    await writeFile(join(folder, 'note/subject.hbs'), 'Note');
    await writeFile(join(folder, 'note/text.hbs'), '{{text}}');
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('is refused when a file is missing, with the name of both', async () => {
    await expect(MailTemplates.load(folder)).rejects.toThrow(/^The mail template "note" cannot be used: .*html\.hbs/);
  });

  it('is refused when a file is broken, with the name of both', async () => {
    await writeFile(join(folder, 'note/html.hbs'), '{{#if}');
    await expect(MailTemplates.load(folder)).rejects.toThrow(
      /^The mail template "note" cannot be used: html\.hbs: Parse error on line 1/,
    );
  });
});
