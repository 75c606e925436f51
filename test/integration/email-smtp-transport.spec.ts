import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { composeMail, type MailMessage } from '../../apps/worker/src/handlers/email-send/message/mail-message.js';
import { MailNotSentError, type MailFate } from '../../apps/worker/src/handlers/email-send/transport/mail-transport.js';
import { SmtpTransport } from '../../apps/worker/src/handlers/email-send/transport/smtp-transport.js';
import { SmtpTestServer, type SmtpStep, type SmtpTestServerOptions } from '../support/smtp-server.js';

const never = new AbortController().signal;
const login = { user: 'antrean@example.com', pass: 'p@ss:w/rd' };

let server: SmtpTestServer;
let message: MailMessage;

async function restart(options: SmtpTestServerOptions): Promise<void> {
  await server.stop();
  server = await SmtpTestServer.start(options);
}

async function failure(sending: Promise<unknown>): Promise<MailNotSentError> {
  const error: unknown = await sending.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof MailNotSentError) return error;
  throw new Error('The mail was sent.', { cause: error });
}

beforeAll(async () => {
  message = await composeMail({
    sender: { name: 'Antrean', address: 'antrean@example.com', domain: 'example.com' },
    to: 'budi@example.com',
    content: { subject: 'Halo', html: '<p>Halo</p>', text: 'Halo\n.\n..two dots\n' },
    deliveryId: 'a'.repeat(40),
    jobId: 'email.send_01K0000000000000000000000A',
    date: new Date('2026-01-02T03:04:05Z'),
  });
});

beforeEach(async () => {
  server = await SmtpTestServer.start();
});

afterEach(() => server.stop());

describe('SMTP', () => {
  it('delivers the mail whole and takes leave', async () => {
    const receipt = await new SmtpTransport(server.url).send(message, never);
    expect(receipt).toEqual({ via: 'smtp', accepted: ['budi@example.com'], response: '250 Taken as 1' });
    expect(server.received).toMatchObject([
      { from: 'antrean@example.com', to: ['budi@example.com'], raw: message.raw.toString() },
    ]);
    await server.untilIdle();
  });

  it('logs in with the credentials of the address', async () => {
    await restart({ login });
    await new SmtpTransport(server.url).send(message, never);
    expect(server.received).toHaveLength(1);
  });

  it('goes on without a login where the server offers none', async () => {
    await new SmtpTransport(server.url.replace('smtp://', 'smtp://user:secret@')).send(message, never);
    expect(server.received).toHaveLength(1);
  });

  it('refuses for good when the password is wrong, and does not tell it', async () => {
    await restart({ login });
    const error = await failure(new SmtpTransport(server.url.replace('p%40ss', 'wrong')).send(message, never));
    expect(error).toMatchObject({ code: 'smtp_535', fate: 'not_taken', permanent: true });
    expect(error.message).not.toContain('w/rd');
  });

  it('passes when the server cannot check the password at the moment', async () => {
    await restart({ login });
    server.refuse('auth', 454, '4.7.0 Temporary authentication failure');
    expect(await failure(new SmtpTransport(server.url).send(message, never))).toMatchObject({
      code: 'smtp_454',
      permanent: false,
    });
  });

  it('upgrades to TLS where offered, and trusts no unknown certificate unless the address says so', async () => {
    await restart({ startTls: true });
    const error = await failure(new SmtpTransport(server.url).send(message, never));
    expect(error).toMatchObject({ fate: 'not_taken', permanent: false });
    expect(error.message).toMatch(/certificate/);
    await new SmtpTransport(`${server.url}?tls.rejectUnauthorized=false`).send(message, never);
    expect(server.received).toHaveLength(1);
  });

  it.each<[SmtpStep, number, boolean]>([
    ['connect', 421, false],
    ['connect', 554, true],
    ['sender', 451, false],
    ['sender', 550, true],
    ['recipient', 450, false],
    ['recipient', 550, true],
    ['data', 451, false],
    ['data', 554, true],
  ])('gives the reply as the reason when the server refuses at %s with %i', async (step, code, permanent) => {
    server.refuse(step, code, 'Because of the test');
    const error = await failure(new SmtpTransport(server.url).send(message, never));
    expect(error).toMatchObject({ code: `smtp_${code}`, fate: 'not_taken', permanent });
    expect(error.message).toMatch(/^The mail server refused: .*Because of the test$/);
    await server.untilIdle();
  });

  it('refuses for good what is larger than the server takes', async () => {
    await restart({ maxBytes: 100 });
    expect(await failure(new SmtpTransport(server.url).send(message, never))).toMatchObject({
      fate: 'not_taken',
      permanent: true,
    });
  });

  it.each<[SmtpStep, MailFate]>([
    ['connect', 'not_taken'],
    ['sender', 'not_taken'],
    ['recipient', 'not_taken'],
    ['data', 'unknown'],
  ])('knows what became of the mail when the connection is cut at %s: %s', async (step, fate) => {
    server.drop(step);
    const error = await failure(new SmtpTransport(server.url).send(message, never));
    expect(error).toMatchObject({ fate, permanent: false });
  });

  it('passes when nobody listens', async () => {
    const { url } = server;
    await server.stop();
    expect(await failure(new SmtpTransport(url).send(message, never))).toMatchObject({
      code: 'smtp_esocket',
      fate: 'not_taken',
      permanent: false,
    });
  });
});

describe('the signal', () => {
  it.each<[SmtpStep, MailFate]>([
    ['connect', 'not_taken'],
    ['auth', 'not_taken'],
    ['sender', 'not_taken'],
    ['recipient', 'not_taken'],
    ['data', 'unknown'],
  ])('ends a connection that hangs at %s at once: %s', async (step, fate) => {
    await restart({ login });
    server.hang(step);
    const controller = new AbortController();
    const sending = failure(new SmtpTransport(server.url).send(message, controller.signal));
    await server.reached(step);
    const closed = server.untilIdle();
    const start = performance.now();
    controller.abort(new Error('enough'));
    expect(await sending).toMatchObject({ fate, permanent: false, message: expect.stringContaining('enough') as unknown });
    await closed;
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  it('that fired before keeps the connection from being opened', async () => {
    expect(await failure(new SmtpTransport(server.url).send(message, AbortSignal.abort(new Error('enough'))))).toMatchObject({
      fate: 'not_taken',
    });
    expect(server.received).toEqual([]);
    expect(server.openConnections).toBe(0);
  });

  describe('while the other side is no mail server', () => {
    let silent: Server;
    const sockets: Socket[] = [];

    beforeEach(async () => {
      silent = createServer((socket) => sockets.push(socket));
      await once(silent.listen(0, '127.0.0.1'), 'listening');
    });

    afterEach(() => silent.close());

    it.each(['smtp', 'smtps'])('ends the wait of %s too', async (protocol) => {
      const { port } = silent.address() as AddressInfo; // It listens on a TCP port.
      const controller = new AbortController();
      const sending = failure(new SmtpTransport(`${protocol}://127.0.0.1:${port}`).send(message, controller.signal));
      await once(silent, 'connection');
      const start = performance.now();
      controller.abort(new Error('enough'));
      expect(await sending).toMatchObject({ fate: 'not_taken' });
      await Promise.all(sockets.map(async (socket) => socket.closed || once(socket.resume(), 'close')));
      expect(performance.now() - start).toBeLessThan(1_000);
    });
  });
});
