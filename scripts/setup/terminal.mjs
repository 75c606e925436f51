export const isTerminal = process.stdout.isTTY === true;
export const hasColour = isTerminal && process.env['NO_COLOR'] === undefined;

const CODES = { red: 31, green: 32, yellow: 33, magenta: 35, cyan: 36, dim: 2, bold: 1 };

/**
 * @param {keyof typeof CODES} colour
 * @param {string} text
 */
export function paint(colour, text) {
  return hasColour ? `\x1b[${CODES[colour]}m${text}\x1b[0m` : text;
}

/** @type {NodeJS.WriteStream} */
let listener = process.stdout;

/** From now on all that is said goes to standard error: standard output is for the result. */
export function talkOnStderr() {
  listener = process.stderr;
}

/** @param {string} text */
export function say(text = '') {
  draw(`${text}\n`);
}

/** @param {string} text with its line ends, if it is to have any */
export function draw(text) {
  listener.write(text);
}

/** @param {string} text */
export function complain(text) {
  process.stderr.write(`${paint('red', text)}\n`);
}
