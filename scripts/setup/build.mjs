import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inProject, ROOT } from './places.mjs';
import { runStep } from './step.mjs';

const SOURCES = ['apps', 'libs'];
const SETTINGS = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'nest-cli.json'];
const STAMP = inProject('dist', '.built-from');

/** The built entry points, by app. */
export const ENTRIES = {
  api: inProject('dist', 'apps', 'api', 'src', 'main.js'),
  worker: inProject('dist', 'apps', 'worker', 'src', 'main.js'),
};
/** What makes the tables of the database, and fills them with an example. */
export const MIGRATE_ENTRY = inProject('dist', 'libs', 'shop', 'src', 'migrate.js');

/**
 * Builds api and worker unless dist is what these sources give.
 * @param {AbortSignal} signal
 */
export async function ensureBuild(signal) {
  const sources = fingerprint();
  if (readStamp() === sources && Object.values(ENTRIES).every((entry) => existsSync(entry))) return;
  // What an earlier build left of files that are gone now must not be found by the new one.
  rmSync(inProject('dist'), { recursive: true, force: true });
  await runStep({
    title: 'Building api and worker',
    command: process.execPath,
    args: [inProject('node_modules', '@nestjs', 'cli', 'bin', 'nest.js'), 'build'],
    cwd: ROOT,
    signal,
    remedy: 'Mend what the compiler names above, then try again.',
  });
  writeFileSync(STAMP, sources);
}

function readStamp() {
  return existsSync(STAMP) ? readFileSync(STAMP, 'utf8') : undefined;
}

/** A hash over names and contents of all that the build reads; the specs are not part of it. */
function fingerprint() {
  const hash = createHash('sha256');
  const files = SOURCES.flatMap((folder) => filesUnder(folder)).filter((file) => !file.endsWith('.spec.ts'));
  for (const file of [...SETTINGS, ...files.sort()]) {
    const content = readFileSync(inProject(file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/**
 * @param {string} folder inside the project
 * @returns {string[]} paths inside the project
 */
function filesUnder(folder) {
  return readdirSync(inProject(folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesUnder(path);
    return entry.isFile() ? [path] : [];
  });
}
