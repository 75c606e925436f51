import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { startTestApi, type TestApi } from '../support/api-app.js';
import { eventually } from '../support/eventually.js';
import { folderStorage } from '../support/stored-files.js';

const BODY_MS = 300;
const arrival = { bodyMs: BODY_MS, upload: { bytes: 100, everyMs: 1_000 } };
const HEAD = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nemail\r\n';
const TAIL = '\r\n--x\r\nContent-Disposition: form-data; name="user_id"\r\n\r\nana\r\n--x--\r\n';
const ROWS = Array.from({ length: 30 }, (_, row) => `customer-${row}@example.com\r\n`);

describe('a slow client', () => {
  let files: Awaited<ReturnType<typeof folderStorage>>;
  let api: TestApi;

  beforeAll(async () => {
    files = await folderStorage();
    api = await startTestApi({ STORAGE_URL: files.url }, { limits: { arrival } });
  });
  afterAll(async () => {
    await api.close();
    await files.remove();
  });

  const stored = async (): Promise<readonly number[]> => {
    const sizes: number[] = [];
    for await (const name of files.storage.list()) sizes.push((await files.storage.stat(name))?.size ?? 0);
    return sizes;
  };
  /** The answer to a body of which a piece is sent every 30 ms. */
  async function send(path: string, type: string, pieces: readonly string[], length = pieces.join('').length): Promise<string> {
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    const head = [`POST ${path} HTTP/1.1`, 'Host: x', 'Connection: close', `Content-Type: ${type}`, `Content-Length: ${length}`];
    socket.on('error', () => undefined);
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    const answer = text(socket);
    for (const piece of pieces) {
      if (!socket.writable) break;
      socket.write(piece);
      await pause(30);
    }
    return answer;
  }

  it('may take longer for the file of an import than for any other body', async () => {
    const start = performance.now();
    const answer = await send('/imports', 'multipart/form-data; boundary=x', [HEAD, ...ROWS, TAIL]);
    expect(performance.now() - start).toBeGreaterThan(2 * BODY_MS);
    expect(answer).toMatch(/^HTTP\/1\.1 202 /);
    expect(await stored()).toEqual([['email\r\n', ...ROWS].join('').length]);
  });

  it('that stops in the midst of a file is answered with 408, and leaves nothing of it', async () => {
    const before = await stored();
    expect(await send('/imports', 'multipart/form-data; boundary=x', [HEAD, ROWS.join('')], 100_000)).toMatch(/^HTTP\/1\.1 408 /);
    await eventually(async () => {
      expect(await files.leftovers()).toEqual([]);
    });
    expect(await stored()).toEqual(before);
    expect(api.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it.each(['/imports', '/jobs'])('that sends JSON to %s is answered with 408 all the same', async (path) => {
    expect(
      await send(
        path,
        'application/json',
        Array.from({ length: 60 }, () => ' '),
      ),
    ).toMatch(/^HTTP\/1\.1 408 /);
  });
});
