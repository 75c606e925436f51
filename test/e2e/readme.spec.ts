import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BuiltProcess } from '../support/built-process.js';
import { eventually } from '../support/eventually.js';
import { REDIS_URL, newKeyPrefix } from '../support/shared-redis.js';
import { Shell } from '../support/shell.js';

/** One block of commands in the tour, and the block below it: what they answer, shortened. */
interface Step {
  readonly script: string;
  readonly format: string;
  readonly shown: string;
}

const STEP = /^```sh tour\n([^]*?)^```\n```(http|json|text)\n([^]*?)^```\n/gm;
const readme = readFileSync('README.md', 'utf8');
const steps: readonly Step[] = [...readme.matchAll(STEP)].map(([, script = '', format = '', shown = '']) => ({
  script: script.trim(),
  format,
  shown,
}));

/** People who take the tour have a curl; a machine without one cannot tell whether they would get what is shown. */
const whereCurlIs = spawnSync('curl', ['--version']).status === 0 ? describe : describe.skip;

whereCurlIs('the tour in README.md (where there is curl)', () => {
  let api: BuiltProcess;
  let worker: BuiltProcess;
  let shell: Shell;

  beforeAll(async () => {
    const env = { REDIS_URL, KEY_PREFIX: newKeyPrefix(), PORT: '0', WORKER_PORT: '0' };
    worker = await BuiltProcess.start('worker', env);
    // As `npm start` has it: mails, files and the example lie where both run.
    const data = join(worker.folder, '.data');
    const shared = { DATABASE_URL: `sqlite:${data}/antrean.db`, STORAGE_URL: `file:${data}/storage` };
    api = await BuiltProcess.start('api', { ...env, ...shared });
    shell = new Shell(worker.folder);
    await Promise.all([worker.logged('worker started'), api.url()]);
    await promisify(execFile)(process.execPath, ['dist/libs/shop/src/migrate.js', '--seed'], { env: shared });
  });

  afterAll(async () => {
    await shell.dispose();
    await Promise.all([api.dispose(), worker.dispose()]);
  });

  it('shows an answer below every block of commands', () => {
    expect(steps.length).toBeGreaterThan(0);
    expect(steps).toHaveLength(readme.split('```sh tour\n').length - 1);
  });

  it('answers as it is shown, from the first command to the last', async () => {
    const urls = { 'http://127.0.0.1:3000': await api.url(), 'http://127.0.0.1:3001': await worker.url() };
    for (const { script, format, shown } of steps) {
      const here = Object.entries(urls).reduce((text, [written, real]) => text.replaceAll(written, real), script);
      const { act, look } = split(here);
      const answer = await shell.run(act);
      if (look === undefined) expectShown(answer, format, shown);
      else
        await eventually(async () => {
          expectShown(await shell.run(look), format, shown);
        });
    }
  });

  it('leaves no file in the clone but under .data, which git ignores', async () => {
    expect(await readdir(worker.folder)).toEqual(['.data']);
    expect(readFileSync('.gitignore', 'utf8').split('\n')).toContain('.data/');
  });
});

/** A person looks again until the job is where it is said to be; what changes something is done once. */
function split(script: string): { readonly act: string; readonly look: string | undefined } {
  const lines = script.split('\n');
  const last = lines.at(-1) ?? '';
  return last.startsWith('curl ') && !last.includes(' -d ')
    ? { act: [...lines.slice(0, -1), ':'].join('\n'), look: last }
    : { act: script, look: undefined };
}

function expectShown(answer: string, format: string, shown: string): void {
  switch (format) {
    case 'http': {
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      const [shownHead = '', shownBody = ''] = shown.split('\n\n');
      expectLines(head, shownHead);
      expectJson(body, shownBody);
      return;
    }
    case 'json':
      expectJson(answer, shown);
      return;
    default:
      expectLines(answer, shown);
  }
}

function expectJson(answer: string, shown: string): void {
  expect(JSON.parse(answer)).toEqual(expectation(JSON.parse(shown)));
}

function expectLines(answer: string, shown: string): void {
  const lines = answer.split(/\r?\n/);
  for (const line of shown.trim().split('\n')) expect(lines).toContainEqual(expectation(line));
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** What is shown, with any text where it has `…`, and any time where it has one. An object may have more; so may a list that ends with `…`. */
function expectation(shown: unknown): unknown {
  if (typeof shown === 'string')
    return TIME.test(shown) ? expect.stringMatching(TIME) : expect.stringMatching(textPattern(shown));
  if (Array.isArray(shown)) {
    return shown.at(-1) === '…' ? expect.arrayContaining(shown.slice(0, -1).map(expectation)) : shown.map(expectation);
  }
  if (typeof shown !== 'object' || shown === null) return shown;
  return expect.objectContaining(Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, expectation(value)])));
}

function textPattern(shown: string): RegExp {
  const literal = shown.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('.+')}$`);
}
