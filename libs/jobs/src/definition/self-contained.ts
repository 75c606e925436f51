/** Words of an expression that are the same everywhere. */
const UNIVERSAL: ReadonlySet<string> = new Set(
  'undefined null true false typeof instanceof in void NaN Infinity Array Boolean JSON Math Number Object String'.split(' '),
);

const TEXTS = /'[^'\\\n]*'|"[^"\\\n]*"/g;
const ARROW = /^(?:\((?<list>[\w$\s,{}]*)\)|(?<single>[\w$]+))\s*=>\s*(?<body>[^{}'"`/\\]+)$/;
const ASCII = /^[\t\n\r\x20-\x7e]*$/;
/** Not behind a dot, where the name of a field stands. */
const NAME = /(?<!\.\s*|[\w$])[A-Za-z_$][\w$]*/g;

/**
 * Whether the text of a function says all that it does: an arrow function of one plain expression over its own parameters, such
 * as `(order, value) => value !== undefined && order.lines.length > 0`. One that reads a variable from around it is not, as two
 * builds may hold different values there. Errs towards no.
 */
export function isSelfContained(functionText: string): boolean {
  const groups = ARROW.exec(functionText.replaceAll(TEXTS, '0'))?.groups;
  if (groups === undefined) return false;
  const { list, single = '', body = '' } = groups;
  if (!ASCII.test(body) || body.includes('...')) return false;
  const known = new Set([...UNIVERSAL, ...namesIn(list ?? single)]);
  return namesIn(body).every((name) => known.has(name));
}

function namesIn(text: string): readonly string[] {
  return text.match(NAME) ?? [];
}
