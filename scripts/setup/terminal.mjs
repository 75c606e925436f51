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

/** @param {string} text */
export function say(text = '') {
  process.stdout.write(`${text}\n`);
}

/** @param {string} text */
export function complain(text) {
  process.stderr.write(`${paint('red', text)}\n`);
}
