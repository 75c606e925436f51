import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { inProject, ROOT } from './places.mjs';
import { runStep } from './step.mjs';

/**
 * Installs the packages of package-lock.json unless they are there already.
 * @param {AbortSignal} signal
 */
export async function ensurePackages(signal) {
  if (packagesAreInstalled()) return;
  const npm = npmCommand();
  await runStep({
    title: 'Installing packages',
    command: npm.command,
    // Building needs the development packages, also where NODE_ENV says production.
    args: [...npm.args, 'ci', '--include=dev', '--no-audit', '--no-fund', '--prefer-offline'],
    cwd: ROOT,
    signal,
    remedy: 'Check the network and the registry npm is set to (npm ping), then try again.',
  });
}

/**
 * npm writes what it installed into node_modules/.package-lock.json as the last thing it does; that is compared with
 * what package-lock.json asks for.
 */
function packagesAreInstalled() {
  const wanted = readPackages(inProject('package-lock.json'));
  const installed = readPackages(inProject('node_modules', '.package-lock.json'));
  if (wanted === undefined || installed === undefined) return false;
  const complete = Object.entries(wanted).every(([path, entry]) => {
    const found = installed[path];
    // Optional packages for other platforms are left out by npm.
    if (found === undefined) return path === '' || entry.optional === true;
    return found.version === entry.version && found.integrity === entry.integrity;
  });
  return complete && Object.keys(installed).every((path) => path in wanted);
}

/**
 * @param {string} file a package-lock.json of version 2 or 3
 * @returns {Record<string, {version?: string, integrity?: string, optional?: boolean}> | undefined}
 */
function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** The npm that runs this script, else the one on PATH. */
function npmCommand() {
  const running = process.env['npm_execpath'];
  const isNpm = running !== undefined && /^npm-cli\.c?js$/.test(basename(running));
  return isNpm ? { command: process.execPath, args: [running] } : { command: 'npm', args: [] };
}
