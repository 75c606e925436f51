import { readFileSync } from 'fs';

// No syntax or name in this file may be newer than what an old Node can read: it is there to be run by one.

/** True when this Node is one of package.json's `engines`; else says so in one line and sets the exit code. */
export function nodeFits() {
  const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const fits = satisfies(process.versions.node, engines.node);
  if (!fits) {
    console.error(`Antrean needs Node ${engines.node}, this is ${process.versions.node}. Install one of these and try again.`);
    process.exitCode = 1;
  }
  return fits;
}

/**
 * Understands the two forms that `engines` uses: `^1.2.3` and `>=1.2.3`, joined by `||`.
 * @param {string} version
 * @param {string} range
 */
function satisfies(version, range) {
  const has = numbers(version);
  return range.split('||').some((part) => {
    const wants = numbers(part);
    return atLeast(has, wants) && (part.includes('>=') || has[0] === wants[0]);
  });
}

/** @param {string} text */
function numbers(text) {
  return (text.match(/\d+/g) || []).slice(0, 3).map(Number);
}

/**
 * @param {number[]} has
 * @param {number[]} wants
 */
function atLeast(has, wants) {
  for (let i = 0; i < 3; i += 1) {
    const difference = (has[i] || 0) - (wants[i] || 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
