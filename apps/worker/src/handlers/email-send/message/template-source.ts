import Handlebars from 'handlebars';

/** What a template's source asks for, read from its syntax tree. */
export interface TemplateNeeds {
  /** Every variable it names, also those only tested by `{{#if}}`. */
  readonly variables: ReadonlySet<string>;
  readonly partials: ReadonlySet<string>;
  /** Variables it prints without escaping, by `{{{name}}}` or `{{&name}}`. */
  readonly unescaped: ReadonlySet<string>;
}

/** @throws {Error} with line and place when the source is no Handlebars. */
export function readNeeds(source: string): TemplateNeeds {
  const reader = new NeedsReader();
  reader.accept(Handlebars.parse(source));
  return reader;
}

const BUILT_IN_HELPERS: ReadonlySet<string> = new Set(['if', 'unless', 'each', 'with', 'lookup', 'log']);

class NeedsReader extends Handlebars.Visitor implements TemplateNeeds {
  readonly variables = new Set<string>();
  readonly partials = new Set<string>();
  readonly unescaped = new Set<string>();

  override MustacheStatement(mustache: hbs.AST.MustacheStatement): void {
    if (!mustache.escaped && isPath(mustache.path)) this.unescaped.add(mustache.path.original);
    super.MustacheStatement(mustache);
  }

  override PathExpression(path: hbs.AST.PathExpression): void {
    const [name] = path.parts;
    if (!path.data && name !== undefined && !BUILT_IN_HELPERS.has(path.original)) this.variables.add(name);
  }

  override PartialStatement({ name }: hbs.AST.PartialStatement): void {
    this.addPartial(name);
  }

  override PartialBlockStatement({ name, program }: hbs.AST.PartialBlockStatement): void {
    this.addPartial(name);
    this.accept(program);
  }

  private addPartial(name: hbs.AST.PathExpression | hbs.AST.SubExpression): void {
    this.partials.add(isPath(name) ? name.original : '(computed)');
  }
}

function isPath(node: hbs.AST.Node): node is hbs.AST.PathExpression {
  return node.type === 'PathExpression';
}
