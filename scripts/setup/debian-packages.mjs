import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from './fault.mjs';
import { runStep } from './step.mjs';

/** True on Debian, Ubuntu and what is made of them. */
export function canUnpack() {
  return (
    existsSync('/var/lib/dpkg/status') && ['apt-get', 'dpkg-deb'].every((tool) => spawnSync(tool, ['--version']).status === 0)
  );
}

/** Packages of this system, fetched and unpacked into a folder: no root, no service, nothing outside the folder is touched. */
export class DebianPackages {
  /**
   * @param {string} folder packages are unpacked into its folder `root`
   * @param {AbortSignal} signal
   * @param {string} remedy for what may go wrong
   */
  constructor(folder, signal, remedy) {
    this.folder = folder;
    this.remedy = remedy;
    this.apt = privateApt(join(folder, 'apt'));
    this.step = { cwd: folder, signal, remedy };
  }

  /**
   * Learns what packages there are.
   * @param {string} what is looked for, for people
   */
  async look(what) {
    await runStep({
      ...this.step,
      title: `Looking for ${what} among the packages of this system`,
      command: 'apt-get',
      args: [...this.apt, '-q', 'update'],
    });
  }

  /**
   * @param {string} name of a package
   * @returns {string | undefined} the version that would be fetched; undefined when there is none
   */
  candidate(name) {
    const { stdout } = spawnSync('apt-cache', [...this.apt, 'policy', name], { encoding: 'utf8', env: plainEnv() });
    const version = /Candidate: (?:\d+:)?(\S+)/.exec(stdout ?? '')?.[1];
    return version === '(none)' ? undefined : version;
  }

  /**
   * The package and what it needs beyond what is installed.
   * @param {string} name
   * @throws {Fault}
   */
  async unpack(name) {
    const names = missingPackages(this.apt, name);
    await runStep({
      ...this.step,
      title: `Fetching ${names.join(', ')}`,
      command: 'apt-get',
      args: [...this.apt, '-q', 'download', ...names],
    });
    for (const file of readdirSync(this.folder).filter((found) => found.endsWith('.deb'))) {
      const deb = join(this.folder, file);
      const { status, stderr } = spawnSync('dpkg-deb', ['-x', deb, join(this.folder, 'root')], { encoding: 'utf8' });
      if (status !== 0) throw new Fault(`${file} could not be unpacked: ${stderr}\n${this.remedy}`);
      rmSync(deb);
    }
    rmSync(join(this.folder, 'apt'), { recursive: true });
  }
}

/**
 * Options that make apt keep its lists and downloads in a folder of its own and run no hook of the system.
 * @param {string} folder
 */
function privateApt(folder) {
  for (const part of ['state/lists/partial', 'cache/archives/partial']) mkdirSync(join(folder, part), { recursive: true });
  const settings = join(folder, 'apt.conf');
  writeFileSync(
    settings,
    `#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
Dir::State "${join(folder, 'state')}";
Dir::State::status "/var/lib/dpkg/status";
Dir::Cache "${join(folder, 'cache')}";
Acquire::Languages "none";
Acquire::Retries "1";
Acquire::http::Timeout "20";
APT::Sandbox::User "";
Debug::NoLocking "true";
`,
  );
  return ['-c', settings];
}

/**
 * The package itself and what it needs beyond what is installed.
 * @param {readonly string[]} apt
 * @param {string} name
 */
function missingPackages(apt, name) {
  const plan = ['-s', '-qq', '--no-install-recommends', 'install', name];
  const { stdout } = spawnSync('apt-get', [...apt, ...plan], { encoding: 'utf8', env: plainEnv() });
  const planned = [...(stdout ?? '').matchAll(/^Inst (\S+)/gm)].flatMap(([, found]) => found ?? []);
  return [...new Set([name, ...planned])];
}

/** What is read from apt must not be in the user's language. */
function plainEnv() {
  return { ...process.env, LC_ALL: 'C' };
}
