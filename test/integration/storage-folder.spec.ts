import { mkdir, mkdtemp, readFile, readdir, readlink, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { LastingStorageError, StorageRefusedError, UnfitStorageError, parseStorageName, type Storage } from '@antrean/platform';
import { folderStorage, storageAt } from '../support/stored-files.js';

const name = parseStorageName;
const bytes = (text = 'content'): Readable => Readable.from([Buffer.from(text)]);

describe('storage in a folder', () => {
  let opened: Awaited<ReturnType<typeof folderStorage>>;
  let storage: Storage;
  let root: string;
  let outside: string;

  beforeAll(async () => {
    opened = await folderStorage('not/there/yet');
    ({ storage, root } = opened);
    outside = await mkdtemp(join(tmpdir(), 'antrean-outside-'));
    await writeFile(join(outside, 'secret.txt'), 'secret');
  });
  afterAll(async () => {
    await opened.remove();
    await rm(outside, { recursive: true, force: true });
  });

  it('is empty, and works, before anything was written', async () => {
    expect(await storage.stat(name('a'))).toBeUndefined();
    for await (const file of storage.list()) expect(file).toBeUndefined();
    await storage.deleteFolder(name('a'));
    await storage.check(AbortSignal.timeout(10_000));
  });

  it('holds files that any program reads', async () => {
    await storage.write(name('reports/1/report.csv'), bytes('a,b'));
    expect(await readFile(join(root, 'reports/1/report.csv'), 'utf8')).toBe('a,b');
  });

  it('gives no signed address', async () => {
    expect(await storage.signedUrl(name('a'), { expiresSec: 60 })).toBeUndefined();
  });

  it('keeps no folder that the last file has left', async () => {
    await storage.write(name('deep/er/and/deeper/file'), bytes());
    await storage.write(name('deep/other'), bytes());
    await storage.delete(name('deep/er/and/deeper/file'));
    expect(await readdir(join(root, 'deep'))).toEqual(['other']);
    await storage.deleteFolder(name('deep'));
    expect(await readdir(root)).not.toContain('deep');
  });

  it('is let go of when a list of it is left in the middle', async () => {
    await storage.write(name('half/read/file'), bytes());
    for await (const file of storage.list(name('half'))) {
      expect(file).toBe('half/read/file');
      expect(await openPaths(root)).toEqual([join(root, 'half'), join(root, 'half/read')]);
      break;
    }
    expect(await openPaths(root)).toEqual([]);
  });

  describe('with a symbolic link in it that leads out', () => {
    beforeAll(async () => {
      await mkdir(join(root, 'links'), { recursive: true });
      await symlink(outside, join(root, 'links/folder'));
      await symlink(join(outside, 'secret.txt'), join(root, 'links/file'));
      await symlink(join(outside, 'new.txt'), join(root, 'links/dangling'));
    });

    it.each(['links/folder/secret.txt', 'links/file', 'links/folder'])('does not read %s', async (text) => {
      await expect(storage.read(name(text))).rejects.toBeInstanceOf(StorageRefusedError);
      await expect(storage.stat(name(text))).rejects.toMatchObject({ code: 'storage_refused' });
    });

    it.each(['links/folder/new.txt', 'links/folder/sub/new.txt'])('does not write %s', async (text) => {
      await expect(storage.write(name(text), bytes())).rejects.toThrow(/is a symbolic link; .*Remove it/);
    });

    it('replaces a link by the file that is written under its name', async () => {
      await storage.write(name('links/dangling'), bytes('inside'));
      expect(await readFile(join(root, 'links/dangling'), 'utf8')).toBe('inside');
    });

    it('does not delete through it', async () => {
      for (const text of ['links/folder/secret.txt', 'links/file']) {
        await expect(storage.delete(name(text))).rejects.toBeInstanceOf(StorageRefusedError);
      }
      await expect(storage.deleteFolder(name('links/folder'))).rejects.toBeInstanceOf(StorageRefusedError);
    });

    it('does not list what it leads to, and leaves that alone when its folder is deleted', async () => {
      const listed: string[] = [];
      for await (const file of storage.list(name('links'))) listed.push(file);
      expect(listed).toEqual(['links/dangling']);
      await storage.deleteFolder(name('links'));
      expect(await readdir(outside)).toEqual(['secret.txt']);
      expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
    });
  });

  it('may be reached through a symbolic link itself', async () => {
    const link = join(outside, 'link');
    await symlink(root, link);
    const through = await storageAt(`file:${link}`);
    await through.write(name('through/link'), bytes('x'));
    expect((await storage.stat(name('through/link')))?.size).toBe(1);
    await rm(link);
  });

  it('refuses a name that is a folder already, or below a file, and says so', async () => {
    await storage.write(name('kind/file'), bytes());
    const [asFolder, asFile] = await Promise.all(
      ['kind', 'kind/file/below'].map((text) => storage.write(name(text), bytes()).catch((error: unknown) => error)),
    );
    expect(asFolder).toBeInstanceOf(LastingStorageError);
    expect(asFolder).toMatchObject({ message: expect.stringMatching(/kind: a folder is where the file should be/) as string });
    expect(asFile).toMatchObject({ message: expect.stringMatching(/below: a file is where a folder should be/) as string });
    expect(await opened.leftovers()).toEqual([]);
  });

  it('says what to do when its folder cannot be made', async () => {
    const inTheWay = await storageAt(`file:${join(outside, 'secret.txt')}/storage`);
    await expect(inTheWay.check(AbortSignal.timeout(10_000))).rejects.toThrow(/a file is in the way of the folder/);
    await expect(inTheWay.write(name('a'), bytes())).rejects.toBeInstanceOf(UnfitStorageError);
  });

  it('sweeps what a process that died has left a day ago, and no younger work', async () => {
    const restarted = await storageAt(`file:${root}`);
    const unfinished = join(root, '.unfinished');
    const ago = (hours: number): Date => new Date(Date.now() - hours * 3_600_000);
    await writeFile(join(unfinished, 'old'), 'half');
    await mkdir(join(unfinished, 'old-folder/below'), { recursive: true });
    await writeFile(join(unfinished, 'young'), 'half');
    await utimes(join(unfinished, 'old'), ago(25), ago(25));
    await utimes(join(unfinished, 'old-folder'), ago(25), ago(25));
    await utimes(join(unfinished, 'young'), ago(23), ago(23));
    await restarted.write(name('after/restart'), bytes());
    expect(await opened.leftovers()).toEqual(['young']);
  });
});

/** What this process holds open at or below a path. */
async function openPaths(path: string): Promise<readonly string[]> {
  const held = await Promise.all((await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return held.filter((one) => one.startsWith(path)).sort();
}
