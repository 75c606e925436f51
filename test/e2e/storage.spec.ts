import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { parseStorageName } from '@antrean/platform';
import { folderStorage, s3Storage, type TestStorage } from '../support/stored-files.js';

const MIB = 1_048_576;
const FILE = parseStorageName('large/file.bin');

/** What the process tells first. */
async function told(child: ChildProcess): Promise<unknown> {
  if (child.stdout === null) throw new Error('It was started with an output.');
  for await (const line of createInterface(child.stdout)) return JSON.parse(line) as unknown;
  throw new Error('The process ended without a word.');
}

describe.each<[string, () => Promise<TestStorage>]>([
  ['a folder', folderStorage],
  ['S3', s3Storage],
])('a process that uses storage in %s', (_kind, open) => {
  let opened: TestStorage;
  let child: ChildProcess;

  beforeEach(async () => {
    opened = await open();
  });
  afterEach(async () => {
    child.kill('SIGKILL');
    await opened.remove();
  });

  function start(...task: readonly string[]): ChildProcess {
    const stdio = ['ignore', 'pipe', 'inherit'] as const;
    child = spawn(process.execPath, ['test/fixtures/storage/writer.mjs', opened.url, ...task], {
      stdio: [...stdio],
      env: process.env,
    });
    return child;
  }

  it('leaves no file that is half written when it is killed, and what was there before', async () => {
    const { storage } = opened;
    await storage.write(FILE, Readable.from([Buffer.from('before')]));
    await expect(told(start('hang'))).resolves.toBe('half written');
    child.kill('SIGKILL');
    await once(child, 'exit');
    for await (const name of storage.list()) expect(name).toBe(FILE);
    expect(await storage.stat(FILE)).toMatchObject({ size: 6 });
    expect((await buffer((await storage.read(FILE)).body)).toString()).toBe('before');
    expect(await opened.leftovers()).toHaveLength(1);
  });

  it('takes the same memory however large a file is', async () => {
    const mib = 128;
    const { written, read } = (await told(start('measure', String(mib)))) as {
      readonly written: { readonly mib: number };
      readonly read: { readonly mib: number; readonly size: number };
    };
    expect(read.size).toBe(mib * MIB);
    // What waits to be collected, and no more.
    expect(written.mib).toBeLessThan(mib / 2);
    expect(read.mib).toBeLessThan(mib / 2);
  });
});
