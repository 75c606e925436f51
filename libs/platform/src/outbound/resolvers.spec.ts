import { createSocket, type Socket } from 'node:dgram';
import { byDns, type Resolver } from './resolvers.js';

describe('names found by DNS', () => {
  let server: Socket;
  let servers: readonly string[];
  let answer: (question: Buffer) => Buffer | undefined;

  beforeEach(async () => {
    server = createSocket('udp4');
    server.on('message', (question, { address, port }) => {
      const reply = answer(question);
      if (reply !== undefined) server.send(reply, port, address);
    });
    await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
    servers = [`127.0.0.1:${server.address().port}`];
  });

  afterEach(() => {
    server.close();
  });

  const find = (resolver: Resolver, name: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      resolver(name, (error, addresses) => {
        if (error === null) resolve(addresses);
        else reject(error);
      });
    });
  /** The question (RFC 1035) with an answer of this code and these records, each the bytes of an address. */
  const reply = (question: Buffer, code: number, records: readonly Buffer[] = []): Buffer => {
    const [type = 0, end = 0] = typeOf(question);
    const head = Buffer.from(question.subarray(0, end));
    head.writeUInt16BE(0x8180 + code, 2);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt32BE(0, 8);
    const answers = records.map((bytes) => {
      const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length]);
      return Buffer.concat([record, bytes]);
    });
    return Buffer.concat([head, ...answers]);
  };
  /** 1: IPv4, 28: IPv6; and where the question ends. */
  const typeOf = (question: Buffer): readonly number[] => {
    const nameEnd = question.indexOf(0, 12);
    return [question.readUInt16BE(nameEnd + 1), nameEnd + 5];
  };

  it('have their addresses of both kinds, or of the one that there is', async () => {
    const v6 = Buffer.from('26064700000000000000000000001111', 'hex');
    answer = (question) => reply(question, 0, [typeOf(question)[0] === 1 ? Buffer.from([8, 8, 8, 8]) : v6]);
    expect(await find(byDns(servers), 'hooks.example')).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
    answer = (question) => (typeOf(question)[0] === 1 ? reply(question, 0) : reply(question, 0, [v6]));
    expect(await find(byDns(servers), 'hooks.example')).toEqual([{ address: '2606:4700::1111', family: 6 }]);
  });

  it('that are none are refused without being repeated', async () => {
    answer = (question) => reply(question, 3);
    await expect(find(byDns(servers), 'hooks.example')).rejects.toMatchObject({
      code: 'ENOTFOUND',
      message: 'The name could not be resolved: ENOTFOUND.',
    });
  });

  it('whose server never answers are given up in time', async () => {
    answer = () => undefined;
    await expect(find(byDns(servers, 50), 'hooks.example')).rejects.toMatchObject({ code: 'ETIMEOUT' });
  });
});
