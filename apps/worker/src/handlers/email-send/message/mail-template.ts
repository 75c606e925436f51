import Handlebars from 'handlebars';
import type { FlatVariables } from '@antrean/catalog';
import { errorFields } from '@antrean/platform';
import { readNeeds, type TemplateNeeds } from './template-source.js';

/** The three files of a template's folder, and the layout that all html files may wrap themselves in. */
export interface TemplateSources {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly layout: string;
}

export interface RenderedMail {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

const LAYOUT = 'layout';
/** Set by the renderer, so that the layout can use the final subject as the document's title. */
const SUBJECT = 'subject';

/** One compiled mail template. Compiled ones share nothing, so one template's partials are not another's. */
export class MailTemplate {
  private constructor(
    readonly variables: readonly string[],
    private readonly subject: Handlebars.TemplateDelegate,
    private readonly html: Handlebars.TemplateDelegate,
    private readonly text: Handlebars.TemplateDelegate,
  ) {}

  /** @throws {Error} whose message says which file is wrong, and how. */
  static compile({ subject, html, text, layout }: TemplateSources): MailTemplate {
    const compiler = Handlebars.create();
    const layoutNeeds = inspect('layout.hbs', layout, { partials: ['@partial-block'], escape: true });
    const subjectNeeds = inspect('subject.hbs', subject, { partials: [], escape: false });
    const htmlNeeds = inspect('html.hbs', html, { partials: [LAYOUT], escape: true });
    const textNeeds = inspect('text.hbs', text, { partials: [], escape: false });

    const variables = new Set([...layoutNeeds.variables, ...htmlNeeds.variables, ...textNeeds.variables]);
    variables.delete(SUBJECT);
    for (const name of subjectNeeds.variables) variables.add(name);

    compiler.registerPartial(LAYOUT, layout);
    return new MailTemplate(
      [...variables].sort(),
      compiler.compile(subject, PLAIN),
      compiler.compile(html, ESCAPED),
      compiler.compile(text, PLAIN),
    );
  }

  /** The names of the variables that the template needs and that are not given. */
  missing(variables: FlatVariables): readonly string[] {
    return this.variables.filter((name) => !Object.hasOwn(variables, name));
  }

  /** @param subject replaces the template's own and is taken as it stands. */
  render(variables: FlatVariables, subject?: string): RenderedMail {
    const own = withoutPrototype(variables);
    const finalSubject = subject ?? this.subject(own).trim();
    const context = withoutPrototype({ ...own, [SUBJECT]: finalSubject });
    return { subject: finalSubject, html: this.html(context), text: this.text(context) };
  }
}

/** Strict: a variable that is not there is an error, never an empty place in a mail. Helpers are the built-in ones. */
const ESCAPED = { strict: true, knownHelpersOnly: true, knownHelpers: {} };
const PLAIN = { ...ESCAPED, noEscape: true };

function inspect(
  file: string,
  source: string,
  allowed: { readonly partials: readonly string[]; readonly escape: boolean },
): TemplateNeeds {
  try {
    const needs = readNeeds(source);
    for (const partial of needs.partials) {
      if (!allowed.partials.includes(partial)) throw new Error(`the partial "${partial}" is not known here.`);
    }
    for (const name of allowed.escape ? needs.unescaped : []) {
      throw new Error(`"${name}" would be printed unescaped: write {{${name}}}.`);
    }
    // Compiling is put off to the first rendering otherwise, and with it the error about an unknown helper.
    Handlebars.precompile(source, ESCAPED);
    return needs;
  } catch (error) {
    throw new Error(`${file}: ${errorFields(error).message}`, { cause: error });
  }
}

/** A variable is what was given, never a property that every object inherits. */
function withoutPrototype(variables: FlatVariables): FlatVariables {
  return Object.assign(Object.create(null) as object, variables);
}
