import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { FreshClone } from '../support/fresh-clone.js';
import { SmtpTestServer } from '../support/smtp-server.js';
import { StartedAntrean } from '../support/started-antrean.js';
import { CTRL_C } from '../support/terminal.js';
import { TestRedis } from '../support/test-redis.js';

const COLD_MS = 15 * 60_000;
jest.setTimeout(180_000);

// Elsewhere there is no Redis that could be unpacked without being installed.
const onDebian = existsSync('/var/lib/dpkg/status') ? describe : describe.skip;

/**
 * A start takes seconds of processor time. So each test goes on with what the one before left running, and what comes after
 * its own end is left to the next. Each can do without: it starts what is not there.
 */
onDebian('npm start on a fresh clone (on Debian and Ubuntu, whose packages bring Redis)', () => {
  let clone: FreshClone;
  let smtp: SmtpTestServer;
  let mailing: NodeJS.ProcessEnv;
  let hasty: NodeJS.ProcessEnv;
  let patient: NodeJS.ProcessEnv;
  let left: { readonly antrean: StartedAntrean; readonly env: NodeJS.ProcessEnv } | undefined;
  let firstJob: string;

  beforeAll(async () => {
    clone = FreshClone.make();
    smtp = await SmtpTestServer.start();
    mailing = { SMTP_URL: smtp.url };
    hasty = { ...mailing, SHUTDOWN_GRACE_SEC: '1' };
    patient = { ...mailing, SHUTDOWN_GRACE_SEC: '600' };
  }, COLD_MS);

  // A test that failed half-way must not fail those after it.
  afterEach(() => {
    if (left === undefined) clone.kill(/./);
    smtp.behave();
  });

  afterAll(async () => {
    clone.dispose();
    await smtp.stop();
  });

  /** What the test before left running, when it was started with these settings; else a new start. */
  async function running(env: NodeJS.ProcessEnv = {}): Promise<StartedAntrean> {
    if (left !== undefined && isDeepStrictEqual(left.env, env)) {
      const { antrean } = left;
      left = undefined;
      return antrean;
    }
    await stopLeft();
    return StartedAntrean.start(clone, env);
  }

  /** Lets the next test go on with it. */
  function leave(antrean: StartedAntrean, env: NodeJS.ProcessEnv = {}): void {
    left = { antrean, env };
  }

  async function stopLeft(): Promise<void> {
    const antrean = left?.antrean;
    left = undefined;
    if (antrean !== undefined) await stop(antrean);
  }

  async function stop(antrean: StartedAntrean): Promise<void> {
    expect(await antrean.stop()).toBe(0);
    expectNothingLeft();
  }

  function expectNothingLeft(): void {
    expect([...clone.processes().values()]).toEqual([]);
    expect(clone.list('.data/run')).toEqual([]);
    expect(clone.list('.cache')).not.toContain('setup.json');
    expect(clone.list('.data/redis')).not.toContain('server.json');
  }

  function pidsOf(pattern: RegExp): readonly number[] {
    return [...clone.processes()].filter(([, command]) => pattern.test(command)).map(([pid]) => pid);
  }

  /** Submits an e-mail; resolves with the job's id once the server has the whole mail, and before it answers. */
  async function mailInHand(antrean: StartedAntrean): Promise<string> {
    const reached = smtp.next('data');
    const job = await antrean.submit();
    await reached;
    return job;
  }

  it('can be stopped while it installs', async () => {
    const terminal = StartedAntrean.open(clone);
    await terminal.sees(/Installing packages/);
    terminal.type(CTRL_C);
    expect(await terminal.ended).toBe(0);
    expectNothingLeft();
  });

  it(
    'installs, builds and brings a Redis, then runs a job, as a user without rights',
    async () => {
      const antrean = await StartedAntrean.on(StartedAntrean.open(clone), COLD_MS);
      process.stdout.write(`npm start on a fresh clone: ready in ${antrean.seconds} s\n`);
      for (const step of [
        'Installing packages',
        'Building api and worker',
        'Fetching redis-tools',
        'Filling the database with an example',
      ]) {
        expect(antrean.terminal.screen).toContain(`✔ ${step}`);
      }
      firstJob = await antrean.submit();
      expect(await antrean.settled(firstJob)).toMatchObject({ attempt: 1 });
      await stop(antrean);
    },
    COLD_MS,
  );

  it('is ready within seconds the next time, and still has the job', async () => {
    const antrean = await running();
    process.stdout.write(`npm start once more: ready in ${antrean.seconds} s\n`);
    expect(antrean.seconds).toBeLessThan(20);
    expect(antrean.terminal.screen).not.toMatch(/Installing|Building|Fetching/);
    expect(await antrean.job(firstJob)).toMatchObject({ status: 'succeeded' });
    leave(antrean);
  });

  it('shows commands that submit and read a job as they are', async () => {
    const antrean = await running();
    const [, commands = ''] = await antrean.terminal.sees(/^ +(job=\$[^]*?jobs\/\$job)/m);
    const answers = spawnSync('bash', ['-c', commands], { encoding: 'utf8' });
    const submitted = JSON.parse(answers.stderr) as Record<string, unknown>;
    expect(submitted).toMatchObject({ type: 'email.send', status: 'queued' });
    expect(JSON.parse(answers.stdout)).toMatchObject({ type: 'email.send', payload: { to: 'ada@example.com' } });
    await antrean.settled(String(submitted['job_id']));
    leave(antrean);
  });

  it('refuses to run twice from one folder and names who runs already', async () => {
    const first = await running();
    const second = StartedAntrean.open(clone);
    const [, pid] = await second.sees(/already runs from this folder: pid (\d+)/);
    expect(await second.ended).toBe(1);
    expect(pidsOf(/start\.mjs/)).toEqual([Number(pid)]);
    expect(second.screen).toContain(first.url);
    expect(await first.readiness()).toBe(200);
    leave(first);
  });

  it('stops in good order when npm is told to end', async () => {
    const { terminal } = await running();
    for (const pid of pidsOf(/^npm start/)) process.kill(pid, 'SIGTERM');
    await terminal.ended;
    expectNothingLeft();
  });

  it('lets a mail in hand settle on Ctrl-C and leaves nothing behind, and has its Redis on the same port the next time', async () => {
    const release = smtp.hold('data');
    const first = await running(mailing);
    const job = await mailInHand(first);
    const ended = first.stop();
    await first.terminal.sees(/worker draining/);
    release();
    expect(await ended).toBe(0);
    expectNothingLeft();
    const next = await running(hasty);
    expect(next.redis).toBe(first.redis);
    expect(await next.job(job)).toMatchObject({ status: 'succeeded', attempts: [{ outcome: 'succeeded' }] });
    expect(smtp.received.map(({ raw }) => /^X-Antrean-Job-ID: (.*)\r$/m.exec(raw)?.[1])).toEqual([job]);
    leave(next, hasty);
  });

  it('hands a mail in hand back when the grace is over, and sends it after the next start', async () => {
    smtp.hang('data');
    const first = await running(hasty);
    const job = await mailInHand(first);
    await stop(first);
    const next = await running(mailing);
    const { attempts } = await next.settled(job);
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['handed_back', 'succeeded']);
    leave(next, mailing);
  });

  it('has its Redis on another port when a program has the one it had', async () => {
    const first = await running(mailing);
    await stop(first);
    const other = createServer().listen(Number(new URL(first.redis).port), '127.0.0.1');
    await once(other, 'listening');
    const next = await running(mailing);
    other.close();
    expect(next.redis).not.toBe(first.redis);
    leave(next, mailing);
  });

  it('ends within seconds with exit code 1 and says so when its Redis dies with a mail in hand, and comes back within seconds', async () => {
    smtp.hang('data');
    const first = await running(mailing);
    const job = await mailInHand(first);
    clone.kill(/redis-server/);
    const killedAt = performance.now();
    expect(await first.terminal.ended).toBe(1);
    expect(performance.now() - killedAt).toBeLessThan(15_000);
    expect(first.terminal.screen).toContain('Redis ended unexpectedly');
    expectNothingLeft();
    const next = await running(mailing);
    expect(next.seconds).toBeLessThan(20);
    expect(next.redis).toBe(first.redis);
    // Else its mail would come in the midst of another test.
    await next.cancel(job);
    leave(next, mailing);
  });

  it.each([
    ['worker', /worker\/src\/main\.js/],
    ['api', /api\/src\/main\.js/],
  ])('stops everything with exit code 1 and says so when the %s dies', async (name, pattern) => {
    const { terminal } = await running(mailing);
    clone.kill(pattern);
    expect(await terminal.ended).toBe(1);
    expect(terminal.screen).toContain(`${name} ended unexpectedly`);
    expectNothingLeft();
  });

  it('starts again on the same data after everything was killed', async () => {
    const killed = await running(mailing);
    const job = await killed.submit();
    await killed.settled(job);
    clone.kill(/./);
    await killed.terminal.ended;
    const antrean = await running(mailing);
    expect(await antrean.job(job)).toMatchObject({ status: 'succeeded' });
    leave(antrean, mailing);
  });

  it('takes over the Redis and replaces the apps that a killed start left running', async () => {
    const killed = await running(mailing);
    const [redis, apps] = [pidsOf(/redis-server/), pidsOf(/main\.js/)];
    clone.kill(/start\.mjs/);
    await killed.terminal.ended;
    expect(pidsOf(/./)).toEqual(expect.arrayContaining([...redis, ...apps]));
    const antrean = await running(mailing);
    // Apps whose terminal is gone must still end when they are told to, not be waited for until they are killed.
    expect(antrean.seconds).toBeLessThan(20);
    expect(pidsOf(/redis-server/)).toEqual(redis);
    expect(pidsOf(/main\.js/)).toHaveLength(2);
    expect(pidsOf(/main\.js/).filter((pid) => apps.includes(pid))).toEqual([]);
    leave(antrean, mailing);
  });

  it('lets the apps of a killed start settle a mail in hand on the Redis that comes back', async () => {
    const release = smtp.hold('data');
    const sent = smtp.received.length;
    const killed = await running(mailing);
    const job = await mailInHand(killed);
    clone.kill(/start\.mjs|redis-server/);
    await killed.terminal.ended;
    const terminal = StartedAntrean.open(clone, mailing);
    await terminal.sees(/Stopping the worker that an earlier start left running/);
    release();
    const antrean = await StartedAntrean.on(terminal);
    expect(antrean.seconds).toBeLessThan(20);
    expect(await antrean.job(job)).toMatchObject({ status: 'succeeded', attempts: [{ outcome: 'succeeded' }] });
    expect(smtp.received).toHaveLength(sent + 1);
    leave(antrean, mailing);
  });

  it('lets one of two run that start at the same moment, also over the leavings of a killed one', async () => {
    const killed = await running(mailing);
    clone.kill(/start\.mjs/);
    await killed.terminal.ended;
    const both = [StartedAntrean.open(clone, patient), StartedAntrean.open(clone, patient)];
    const outcomes = await Promise.all(
      both.map((each) => Promise.race([each.ended, StartedAntrean.on(each).catch(() => each.ended)])),
    );
    expect(outcomes.filter((outcome) => outcome === 1)).toHaveLength(1);
    const antrean = outcomes.find((outcome) => outcome instanceof StartedAntrean);
    if (antrean === undefined) throw new Error(both.map(({ screen }) => screen).join('\n'));
    expect(await antrean.readiness()).toBe(200);
    leave(antrean, patient);
  });

  it('stops at once, with a mail in hand, when Ctrl-C is pressed again', async () => {
    smtp.hang('data');
    const antrean = await running(patient);
    await mailInHand(antrean);
    const { terminal } = antrean;
    const pressing = setInterval(() => {
      terminal.type(CTRL_C);
    }, 100);
    await terminal.ended;
    clearInterval(pressing);
    expect(terminal.screen).toContain('Stopped at once');
    expectNothingLeft();
  });

  it('uses the Redis of REDIS_URL and starts none', async () => {
    const redis = await TestRedis.start();
    const antrean = await running({ REDIS_URL: redis.url });
    expect(pidsOf(/redis-server/)).toEqual([]);
    await antrean.settled(await antrean.submit());
    await stop(antrean);
    await redis.stop();
  });

  it('names the port that another program has', async () => {
    await stopLeft();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo; // It listens on a TCP port.
    const terminal = StartedAntrean.open(clone, { PORT: String(port) });
    await terminal.sees(new RegExp(`Port ${port} on 127.0.0.1 is taken by another program`));
    expect(await terminal.ended).toBe(1);
    expectNothingLeft();
    other.close();
  });

  it('shows what the apps say of a wrong setting, and ends', async () => {
    await stopLeft();
    const terminal = StartedAntrean.open(clone, { LOG_LEVEL: 'loud' });
    await terminal.sees(/LOG_LEVEL.*loud/);
    expect(await terminal.ended).toBe(1);
    expectNothingLeft();
  });
});

describe('npm start and npm test', () => {
  it.each(['start', 'test'])('say in one line which Node they need (npm %s)', (script) => {
    const old = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"18.20.0"})';
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', old, `scripts/${script}.mjs`], {
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr.trim().split('\n')).toEqual([expect.stringMatching(/^Antrean needs Node \^20\.19\.0 .* this is 18\.20\.0\./)]);
  });
});
