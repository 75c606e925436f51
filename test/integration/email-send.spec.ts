import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Test, type TestingModule } from '@nestjs/testing';
import PostalMime from 'postal-mime';
import { SendEmail } from '@antrean/catalog';
import { JobAbortedError, PermanentError, Snooze } from '@antrean/jobs';
import { ShopModule, type Database } from '@antrean/shop';
import { EmailSendHandler } from '../../apps/worker/src/handlers/email-send/email-send.handler.js';
import { EmailSendModule, type EmailSendOptions } from '../../apps/worker/src/handlers/email-send/email-send.module.js';
import { jobContext, type PlainPayload } from '../support/job-context.js';
import { silentLogger } from '../support/shared-redis.js';
import { markStates, testDatabases } from '../support/shop-database.js';
import { SmtpTestServer } from '../support/smtp-server.js';

const payload: PlainPayload<typeof SendEmail> = { to: 'budi@example.com', template: 'welcome', variables: { name: 'Budi <3' } };

let server: SmtpTestServer;
let database: Database;
let databaseUrl: string;
let mailDir: string;
const modules: TestingModule[] = [];
const databases = testDatabases('SQLite');

async function worker(options: Partial<EmailSendOptions> = {}): Promise<TestingModule> {
  const email = EmailSendModule.register({
    smtpUrl: server.url,
    mailFrom: 'Antrean <antrean@example.com>',
    mailDir,
    onUnknown: 'resend',
    ...options,
  });
  const shop = ShopModule.register({ databaseUrl, production: false, logger: silentLogger });
  const module = await Test.createTestingModule({ imports: [shop, email] }).compile();
  modules.push(module);
  return module;
}

async function handler(options: Partial<EmailSendOptions> = {}): Promise<EmailSendHandler> {
  return (await worker(options)).get(EmailSendHandler, { strict: false });
}

async function failure(run: Promise<unknown>): Promise<unknown> {
  return run.then(
    (result) => {
      throw new Error(`It succeeded: ${JSON.stringify(result)}`);
    },
    (error: unknown) => error,
  );
}

const ledgerStates = () => markStates(database);

beforeEach(async () => {
  ({ url: databaseUrl, database } = await databases.migrated());
  server = await SmtpTestServer.start();
  mailDir = await mkdtemp(join(tmpdir(), 'mail-'));
});

afterEach(async () => {
  await Promise.all(modules.splice(0).map((module) => module.close()));
  await server.stop();
  await rm(mailDir, { recursive: true });
});

describe('email.send', () => {
  it('sends the mail that the template makes', async () => {
    const context = jobContext(SendEmail, payload);
    const result = await (await handler()).handle(context);

    const [mail] = server.received;
    expect(mail).toMatchObject({
      from: 'antrean@example.com',
      to: ['budi@example.com'],
      email: {
        from: { name: 'Antrean', address: 'antrean@example.com' },
        to: [{ address: 'budi@example.com' }],
        subject: 'Welcome, Budi <3',
        text: expect.stringContaining('Welcome, Budi <3\n') as unknown,
        html: expect.stringContaining('>Welcome, Budi &lt;3</h1>') as unknown,
      },
    });
    expect(mail?.email.headers).toContainEqual(expect.objectContaining({ key: 'x-antrean-job-id', value: context.jobId }));
    expect(mail?.email.headers).toContainEqual(expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }));
    expect(mail?.email.messageId).toMatch(/^<[0-9a-f]{40}@example\.com>$/);
    expect(result).toEqual({
      message_id: mail?.email.messageId,
      accepted: ['budi@example.com'],
      response: '250 Taken as 1',
      via: 'smtp',
    });
  });

  it('does not send a key again that was sent, whichever job asks', async () => {
    const email = await handler();
    const sent = await email.handle(jobContext(SendEmail, { ...payload, message_key: 'order-42' }));
    const again = await email.handle(jobContext(SendEmail, { ...payload, message_key: 'order-42' }));
    expect(again).toEqual({
      skipped: 'already_sent',
      message_id: 'message_id' in sent && sent.message_id,
      sent_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown,
    });
    expect(server.received).toHaveLength(1);
  });

  it('does not send a mail again when a job without a key runs again after it was sent', async () => {
    const email = await handler();
    const context = jobContext(SendEmail, payload);
    await email.handle(context);
    expect(await email.handle(context)).toMatchObject({ skipped: 'already_sent' });
    expect(server.received).toHaveLength(1);
  });

  it('sends a mail for every job without a key', async () => {
    const email = await handler();
    await email.handle(jobContext(SendEmail, payload));
    await email.handle(jobContext(SendEmail, payload));
    expect(new Set(server.received.map((mail) => mail.email.messageId)).size).toBe(2);
  });

  it('is tried again after a refusal that passes, as the same mail', async () => {
    server.refuse('data', 451, 'Try again later');
    const email = await handler({ onUnknown: 'fail' });
    const context = jobContext(SendEmail, { ...payload, message_key: 'order-42' });
    const error = await failure(email.handle(context));
    expect(error).not.toBeInstanceOf(PermanentError);
    expect(error).toMatchObject({ code: 'smtp_451', message: 'The mail server refused: 451 Try again later' });
    expect(await ledgerStates()).toEqual([]);

    const result = await email.handle(context);
    expect(result).toMatchObject({ via: 'smtp', message_id: server.received[0]?.email.messageId });
    expect(result).not.toHaveProperty('resent_after_unknown');
  });

  it('fails for good when the server refuses for good', async () => {
    server.refuse('recipient', 550, 'No such user');
    const error = await failure((await handler()).handle(jobContext(SendEmail, payload)));
    expect(error).toBeInstanceOf(PermanentError);
    expect(error).toMatchObject({ code: 'smtp_550', message: expect.stringContaining('No such user') as unknown });
    expect(await ledgerStates()).toEqual([]);
  });

  it.each([
    [{ ...payload, template: 'nope' }, 'unknown_template', /"nope".*order-confirmation, report-ready, welcome/],
    [{ ...payload, variables: {} }, 'missing_variables', /"welcome" needs variables that are not given: name/],
  ])('fails for good, before anything is sent, with %j', async (wrong, code, message) => {
    const error = await failure((await handler()).handle(jobContext(SendEmail, wrong)));
    expect(error).toBeInstanceOf(PermanentError);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) as unknown });
    expect(await ledgerStates()).toEqual([]);
    expect(server.received).toEqual([]);
  });

  it('lets a job wait while another one is sending the mail of the same key', async () => {
    const release = server.hold('data');
    const email = await handler();
    const first = email.handle(jobContext(SendEmail, { ...payload, message_key: 'order-42' }));
    await server.reached('data');
    const second = jobContext(SendEmail, { ...payload, message_key: 'order-42' });
    expect(await failure(email.handle(second))).toBeInstanceOf(Snooze);
    release();
    expect(await first).toMatchObject({ via: 'smtp' });
    expect(await email.handle(second)).toMatchObject({ skipped: 'already_sent' });
    expect(server.received).toHaveLength(1);
  });

  it('succeeds with a mail that was taken also when the ledger cannot be reached then', async () => {
    const release = server.hold('data');
    const module = await worker();
    const context = jobContext(SendEmail, payload);
    const running = module.get(EmailSendHandler, { strict: false }).handle(context);
    await server.reached('data');
    await module.close();
    release();
    expect(await running).toMatchObject({ via: 'smtp' });
    expect(context.lines).toEqual([expect.objectContaining({ level: 'error', message: 'a sent mail could not be recorded' })]);
  }, 15_000);
});

describe('a mail of unknown fate', () => {
  it('stays marked as being sent', async () => {
    server.drop('data');
    const context = jobContext(SendEmail, payload);
    expect(await failure((await handler()).handle(context))).toMatchObject({ code: 'smtp_econnection' });
    expect(await ledgerStates()).toEqual(['sending']);
    expect(context.lines).toEqual([expect.objectContaining({ level: 'warn', message: 'the fate of a mail is unknown' })]);
  });

  it('is sent again by default, and the result says so', async () => {
    server.drop('data');
    const email = await handler();
    const context = jobContext(SendEmail, { ...payload, message_key: 'order-42' });
    await failure(email.handle(context));
    expect(await email.handle(context)).toMatchObject({ via: 'smtp', resent_after_unknown: true });
    expect(await ledgerStates()).toEqual(['sent']);
    // Its worker may be killed before the result is kept.
    expect(await email.handle(context)).toMatchObject({ skipped: 'already_sent', resent_after_unknown: true });
  });

  it('fails for good at once when that was asked for, as there may be no other attempt', async () => {
    server.drop('data');
    const email = await handler({ onUnknown: 'fail' });
    const error = await failure(email.handle(jobContext(SendEmail, payload)));
    expect(error).toBeInstanceOf(PermanentError);
    expect(error).toMatchObject({
      code: 'delivery_unknown',
      message: expect.stringMatching(/If the mail is not there, submit it again\.$/) as unknown,
    });
    expect(await ledgerStates()).toEqual(['sending']);
  });

  it('fails for good when that was asked for, and says what to check', async () => {
    server.drop('data');
    const email = await handler({ onUnknown: 'fail' });
    const context = jobContext(SendEmail, { ...payload, message_key: 'order-42' });
    await failure(email.handle(context));
    const error = await failure(email.handle(context));
    expect(error).toBeInstanceOf(PermanentError);
    expect(error).toMatchObject({
      code: 'delivery_unknown',
      message: expect.stringMatching(
        /^It is unknown whether this mail was sent: .* Look for <[0-9a-f]{40}@example\.com> in the mail server's log\./,
      ) as unknown,
    });
    expect(server.received).toEqual([]);
  });
});

describe('the end of the signal', () => {
  it.each([
    ['connect', []],
    ['recipient', []],
    ['data', ['sending']],
  ] as const)('ends a mail that hangs at %s within a second, and leaves the ledger at %j', async (step, states) => {
    server.hang(step);
    const controller = new AbortController();
    const running = failure((await handler()).handle(jobContext(SendEmail, payload, { signal: controller.signal })));
    await server.reached(step);
    const start = performance.now();
    const reason = new JobAbortedError('timed_out');
    controller.abort(reason);
    expect(await running).toBe(reason);
    expect(performance.now() - start).toBeLessThan(1_000);
    expect(await ledgerStates()).toEqual(states);
  });
});

describe('without a mail server', () => {
  it('mails are written as files that can be read', async () => {
    const email = await handler({ smtpUrl: undefined });
    const result = await email.handle(jobContext(SendEmail, { ...payload, subject: 'Halo 🎉' }));
    const [name = ''] = await readdir(mailDir);
    expect(result).toMatchObject({ via: 'file', response: `Written as ${name}` });
    expect(await PostalMime.parse(await readFile(join(mailDir, name)))).toMatchObject({
      subject: 'Halo 🎉',
      to: [{ address: 'budi@example.com' }],
      messageId: 'message_id' in result && result.message_id,
    });
  });
});

describe('the start', () => {
  it('fails with a sender that is none', async () => {
    await expect(worker({ mailFrom: 'nobody' })).rejects.toThrow(
      '"nobody" is no sender: write one mailbox, such as Antrean <antrean@example.com>.',
    );
  });
});
