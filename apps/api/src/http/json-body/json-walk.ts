import { toPointer } from '../json-pointer.js';
import { isExactNumber } from './exact-number.js';
import type { Token } from './json-tokens.js';

/** An object or array that is not closed yet, and the member of it the walk is at. */
interface Level {
  /** The keys seen so far; undefined for an array. */
  readonly keys: Set<string> | undefined;
  segment: string | number | undefined;
}

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end' | 'nothing';

const LONE_SURROGATE = /[\uD800-\uDFFF]/u;

/**
 * Follows a JSON text word by word, keeping only the way from the root to the current place, so that no depth can overflow
 * the stack. It refuses what breaks the grammar and what parsing would silently change.
 */
export class JsonWalk {
  private readonly levels: Level[] = [];
  private expected: Expected = 'value';

  /** @param deepest how many objects and arrays may be nested. */
  constructor(private readonly deepest: number) {}

  /** The place the walk is at, as a URI fragment. */
  get pointer(): string {
    return toPointer(this.levels.flatMap(({ segment }) => segment ?? []));
  }

  get isComplete(): boolean {
    return this.expected === 'nothing';
  }

  /** Takes the next word; the answer is what is wrong with it, if anything. */
  take(token: Token): string | undefined {
    const { kind, value } = token;
    if (kind === 'bad') return value;
    switch (this.expected) {
      case 'value':
        return this.value(token);
      case 'value or ]':
        return kind === ']' ? this.close() : this.value(token);
      case 'key':
        return this.key(token);
      case 'key or }':
        return kind === '}' ? this.close() : this.key(token);
      case ':':
        if (kind !== ':') return 'a colon must follow the key';
        this.expected = 'value';
        return undefined;
      case ', or end':
        return this.next(token);
      case 'nothing':
        return 'something follows after the end of the value';
    }
  }

  private value({ kind, value }: Token): string | undefined {
    if (kind === '{' || kind === '[') return this.open(kind);
    if (kind !== 'string' && kind !== 'number' && kind !== 'literal') return 'a value must stand here';
    this.expected = this.levels.length === 0 ? 'nothing' : ', or end';
    if (kind === 'string') return textFault('the text', value);
    if (kind === 'number' && !isExactNumber(value)) {
      return 'the number cannot be held as a 64-bit floating-point number without changing it, send it as a string';
    }
    return undefined;
  }

  private open(kind: '{' | '['): string | undefined {
    if (this.levels.length === this.deepest) return `objects and arrays are nested deeper than ${this.deepest} levels`;
    const isObject = kind === '{';
    this.levels.push({ keys: isObject ? new Set() : undefined, segment: isObject ? undefined : 0 });
    this.expected = isObject ? 'key or }' : 'value or ]';
    return undefined;
  }

  private key({ kind, value }: Token): string | undefined {
    const level = this.levels.at(-1);
    if (kind !== 'string' || level?.keys === undefined) return 'a key in double quotes must stand here';
    level.segment = value;
    this.expected = ':';
    if (level.keys.has(value)) return 'the key stands there twice';
    level.keys.add(value);
    // JSON.parse keeps such a key as data, but what later copies or checks the object takes it for the object's own workings.
    if (value in Object.prototype) return `the key "${value}" is not taken, every JavaScript object has a property of that name`;
    return textFault('the key', value);
  }

  private next({ kind }: Token): string | undefined {
    const level = this.levels.at(-1);
    const end = level?.keys === undefined ? ']' : '}';
    if (kind === end) return this.close();
    if (kind !== ',' || level === undefined) return `a comma or ${end} must follow`;
    if (typeof level.segment === 'number') level.segment += 1;
    this.expected = end === '}' ? 'key' : 'value';
    return undefined;
  }

  private close(): string | undefined {
    this.levels.pop();
    this.expected = this.levels.length === 0 ? 'nothing' : ', or end';
    return undefined;
  }
}

/** JSON may carry these, UTF-8 and most stores cannot. */
function textFault(what: string, value: string): string | undefined {
  if (value.includes('\0')) return `${what} has a NUL character (\\u0000)`;
  if (LONE_SURROGATE.test(value)) return `${what} has half of a surrogate pair (\\ud800 to \\udfff without its other half)`;
  return undefined;
}
