import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FlatVariables } from '@antrean/catalog';
import { PermanentError } from '@antrean/jobs';
import { errorFields } from '@antrean/platform';
import { MailTemplate, type RenderedMail } from './mail-template.js';

/** A longer subject is cut or refused by some servers and shown whole by none. */
const MAX_SUBJECT_LENGTH = 255;
const CONTROL = /[\p{Cc}\u2028\u2029]/u;

/** All mail templates, by the names of their folders. */
export class MailTemplates {
  private constructor(private readonly byName: ReadonlyMap<string, MailTemplate>) {}

  /**
   * Reads and compiles all templates: `<folder>/<name>/{subject,html,text}.hbs` and `<folder>/layout.hbs`.
   * @throws {Error} naming the template and the file when one is missing or broken.
   */
  static async load(folder: string): Promise<MailTemplates> {
    const layout = await readFile(join(folder, 'layout.hbs'), 'utf8');
    const entries = await readdir(folder, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const compiled = await Promise.all(names.sort().map(async (name) => [name, await compile(folder, name, layout)] as const));
    return new MailTemplates(new Map(compiled));
  }

  get names(): readonly string[] {
    return [...this.byName.keys()];
  }

  /**
   * Variables that the template does not name are ignored, so that a submitter may be ahead of the worker's templates.
   * @throws {PermanentError} `unknown_template`, `missing_variables` or `bad_subject`.
   */
  render(name: string, variables: FlatVariables, subject?: string): RenderedMail {
    const template = this.byName.get(name);
    if (template === undefined) {
      throw new PermanentError(`There is no mail template "${name}". Known templates: ${this.names.join(', ')}.`, {
        code: 'unknown_template',
      });
    }
    const missing = template.missing(variables);
    if (missing.length > 0) {
      throw new PermanentError(`The mail template "${name}" needs variables that are not given: ${missing.join(', ')}.`, {
        code: 'missing_variables',
      });
    }
    const mail = template.render(variables, subject);
    refuseBadSubject(name, mail.subject);
    return mail;
  }
}

async function compile(folder: string, name: string, layout: string): Promise<MailTemplate> {
  try {
    const read = (file: string) => readFile(join(folder, name, file), 'utf8');
    const [subject, html, text] = await Promise.all([read('subject.hbs'), read('html.hbs'), read('text.hbs')]);
    return MailTemplate.compile({ subject, html, text, layout });
  } catch (error) {
    throw new Error(`The mail template "${name}" cannot be used: ${errorFields(error).message}`, {
      cause: error,
    });
  }
}

/** The payload's rules keep control characters out already; the worker does not rest a mail's header on that alone. */
function refuseBadSubject(name: string, subject: string): void {
  if (CONTROL.test(subject)) {
    throw new PermanentError(`The subject of the mail template "${name}" would hold a line break or another control character.`, {
      code: 'bad_subject',
    });
  }
  if (subject.length < 1 || subject.length > MAX_SUBJECT_LENGTH) {
    throw new PermanentError(
      `The subject of the mail template "${name}" would have ${subject.length} characters; it must have 1 to ${MAX_SUBJECT_LENGTH}.`,
      { code: 'bad_subject' },
    );
  }
}
