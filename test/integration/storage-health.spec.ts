import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StorageHealth, UnfitStorageError, type Logger, type Storage } from '@antrean/platform';
import { startTestApi } from '../support/api-app.js';

describe('the health of the storage', () => {
  it('is told by the api, which stays ready without it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'antrean-health-'));
    await writeFile(join(folder, 'file'), '');
    const api = await startTestApi({ STORAGE_URL: `file:${folder}/file/storage` });
    try {
      const answer = await api.http.get('/health');
      const storage = {
        status: 'down',
        write: false,
        detail: expect.stringMatching(/^The storage cannot be used: a file is in the way of the folder .*file/) as string,
      };
      expect(answer.status).toBe(503);
      expect(answer.body).toMatchObject({ status: 'error', error: { storage } });
      expect((await api.http.get('/health/ready')).status).toBe(200);
      await rm(join(folder, 'file'));
      expect((await api.http.get('/health')).body).toMatchObject({ status: 'ok', details: { storage: { write: true } } });
    } finally {
      await api.close();
      await rm(folder, { recursive: true });
    }
  });

  it('is told in time also while the storage hangs', async () => {
    jest.useFakeTimers();
    try {
      const hanging: Pick<Storage, 'check'> = { check: () => new Promise(() => undefined) };
      const report = new StorageHealth(hanging as Storage).check(); // It does nothing but check.
      await jest.advanceTimersByTimeAsync(2_000);
      expect(await report).toEqual({ write: false, detail: 'The storage does not answer within 2 s.' });
    } finally {
      jest.useRealTimers();
    }
  });

  it('is told to the log at the start when it is bad, and else not', async () => {
    const warn = jest.fn();
    const logger = { warn } as unknown as Logger; // It is told this alone.
    const check = jest
      .fn<Promise<void>, []>()
      .mockResolvedValueOnce(undefined)
      .mockRejectedValueOnce(new UnfitStorageError('No.', undefined));
    const health = new StorageHealth({ check } as Pick<Storage, 'check'> as Storage);
    await health.tell(logger);
    expect(warn).not.toHaveBeenCalled();
    await health.tell(logger);
    expect(warn).toHaveBeenCalledWith(
      { reason: 'The storage cannot be used: No.' },
      expect.stringContaining('files cannot be stored'),
    );
  });

  it('shows nothing of an error that is not the storage’s own', async () => {
    const broken: Pick<Storage, 'check'> = { check: () => Promise.reject(new Error('secret')) };
    const report = await new StorageHealth(broken as Storage).check();
    expect(report).toEqual({ write: false, detail: 'The storage cannot be checked.' });
  });
});
