import { createServer, type Server } from 'node:http';
import { ListenError, listen } from './listen.js';

const variables = 'PORT';

describe('listen', () => {
  const servers: Server[] = [];
  const server = (): Server => {
    const made = createServer((_request, response) => response.end('here'));
    servers.push(made);
    return made;
  };

  afterEach(() => {
    for (const each of servers.splice(0)) each.close();
  });

  it('answers under the URL it returns', async () => {
    const url = await listen(server(), { host: '127.0.0.1', port: 0, variables });
    await expect(fetch(url).then((response) => response.text())).resolves.toBe('here');
  });

  it('says in one line that another process listens there, and what to set', async () => {
    const { port } = new URL(await listen(server(), { host: '127.0.0.1', port: 0, variables }));
    const attempt = listen(server(), { host: '127.0.0.1', port: Number(port), variables });
    await expect(attempt).rejects.toThrow(ListenError);
    await expect(attempt).rejects.toThrow(
      `Cannot listen on http://127.0.0.1:${port}: another process listens there. Free it or set PORT.`,
    );
  });

  it('says that the address is not this machine’s', async () => {
    await expect(listen(server(), { host: '192.0.2.1', port: 0, variables })).rejects.toThrow('this machine has no such address');
  });
});
