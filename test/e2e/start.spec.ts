import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { FreshClone } from '../support/fresh-clone.js';
import { SmtpTestServer } from '../support/smtp-server.js';
import { StartedAntrean } from '../support/started-antrean.js';
import { CTRL_C } from '../support/terminal.js';
import { TestRedis } from '../support/test-redis.js';

const COLD_MS = 15 * 60_000;
jest.setTimeout(180_000);

// Elsewhere there is no Redis that could be unpacked without being installed.
const onDebian = existsSync('/var/lib/dpkg/status') ? describe : describe.skip;

onDebian('npm start on a fresh clone (on Debian and Ubuntu, whose packages bring Redis)', () => {
  let clone: FreshClone;
  let firstJob: string;

  beforeAll(() => {
    clone = FreshClone.make();
  }, COLD_MS);

  // A test that failed half-way must not fail those after it.
  afterEach(() => {
    clone.kill(/./);
  });

  afterAll(() => {
    clone.dispose();
  });

  function expectNothingLeft(): void {
    expect([...clone.processes().values()]).toEqual([]);
    expect(clone.list('.data/run')).toEqual([]);
    expect(clone.list('.cache')).not.toContain('setup.json');
    expect(clone.list('.data/redis')).not.toContain('server.json');
  }

  async function stop(antrean: StartedAntrean): Promise<void> {
    expect(await antrean.stop()).toBe(0);
    expectNothingLeft();
  }

  function pidsOf(pattern: RegExp): readonly number[] {
    return [...clone.processes()].filter(([, command]) => pattern.test(command)).map(([pid]) => pid);
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
      for (const step of ['Installing packages', 'Building api and worker', 'Fetching redis-tools']) {
        expect(antrean.terminal.screen).toContain(`✔ ${step}`);
      }
      firstJob = await antrean.submit();
      expect(await antrean.settled(firstJob)).toMatchObject({ attempt: 1 });
      await stop(antrean);
    },
    COLD_MS,
  );

  it('is ready within seconds the next time, and still has the job', async () => {
    const antrean = await StartedAntrean.start(clone);
    process.stdout.write(`npm start once more: ready in ${antrean.seconds} s\n`);
    expect(antrean.seconds).toBeLessThan(20);
    expect(antrean.terminal.screen).not.toMatch(/Installing|Building|Fetching/);
    expect(await antrean.job(firstJob)).toMatchObject({ status: 'succeeded' });
    await stop(antrean);
  });

  it('shows commands that submit and read a job as they are', async () => {
    const antrean = await StartedAntrean.start(clone);
    const [, commands = ''] = await antrean.terminal.sees(/^ +(job=\$[^]*?jobs\/\$job)/m);
    const answers = spawnSync('bash', ['-c', commands], { encoding: 'utf8' });
    expect(JSON.parse(answers.stderr)).toMatchObject({ type: 'email.send', status: 'queued' });
    expect(JSON.parse(answers.stdout)).toMatchObject({ type: 'email.send', payload: { to: 'ada@example.com' } });
    await stop(antrean);
  });

  it('refuses to run twice from one folder and names who runs already', async () => {
    const first = await StartedAntrean.start(clone);
    const second = StartedAntrean.open(clone);
    const [, pid] = await second.sees(/already runs from this folder: pid (\d+)/);
    expect(await second.ended).toBe(1);
    expect(pidsOf(/start\.mjs/)).toEqual([Number(pid)]);
    expect(second.screen).toContain(first.url);
    expect(await first.readiness()).toBe(200);
    await stop(first);
  });

  it('lets one of two run that start at the same moment, also over the leavings of a killed one', async () => {
    const killed = await StartedAntrean.start(clone);
    clone.kill(/start\.mjs/);
    await killed.terminal.ended;
    const both = [StartedAntrean.open(clone), StartedAntrean.open(clone)];
    const outcomes = await Promise.all(
      both.map((each) => Promise.race([each.ended, StartedAntrean.on(each).catch(() => each.ended)])),
    );
    expect(outcomes.filter((outcome) => outcome === 1)).toHaveLength(1);
    const antrean = outcomes.find((outcome) => outcome instanceof StartedAntrean);
    if (antrean === undefined) throw new Error(both.map(({ screen }) => screen).join('\n'));
    expect(await antrean.readiness()).toBe(200);
    await stop(antrean);
  });

  it('starts again on the same data after everything was killed', async () => {
    const killed = await StartedAntrean.start(clone);
    const job = await killed.submit();
    await killed.settled(job);
    clone.kill(/./);
    await killed.terminal.ended;
    const antrean = await StartedAntrean.start(clone);
    expect(await antrean.job(job)).toMatchObject({ status: 'succeeded' });
    await stop(antrean);
  });

  it('takes over the Redis and replaces the apps that a killed start left running', async () => {
    const killed = await StartedAntrean.start(clone);
    const [redis, apps] = [pidsOf(/redis-server/), pidsOf(/main\.js/)];
    clone.kill(/start\.mjs/);
    await killed.terminal.ended;
    expect(pidsOf(/./)).toEqual(expect.arrayContaining([...redis, ...apps]));
    const antrean = await StartedAntrean.start(clone);
    // Apps whose terminal is gone must still end when they are told to, not be waited for until they are killed.
    expect(antrean.seconds).toBeLessThan(20);
    expect(pidsOf(/redis-server/)).toEqual(redis);
    expect(pidsOf(/main\.js/)).toHaveLength(2);
    expect(pidsOf(/main\.js/).filter((pid) => apps.includes(pid))).toEqual([]);
    await stop(antrean);
  });

  it('stops in good order when npm is told to end', async () => {
    const { terminal } = await StartedAntrean.start(clone);
    for (const pid of pidsOf(/^npm start/)) process.kill(pid, 'SIGTERM');
    await terminal.ended;
    expectNothingLeft();
  });

  it.each([
    ['worker', /worker\/src\/main\.js/],
    ['api', /api\/src\/main\.js/],
    ['Redis', /redis-server/],
  ])('stops everything with exit code 1 and says so when the %s dies', async (name, pattern) => {
    const { terminal } = await StartedAntrean.start(clone);
    clone.kill(pattern);
    expect(await terminal.ended).toBe(1);
    expect(terminal.screen).toContain(`${name} ended unexpectedly`);
    expectNothingLeft();
  });

  it('has its Redis on the same port each time, and on another when a program has that', async () => {
    const first = await StartedAntrean.start(clone);
    const { redis } = first;
    await stop(first);
    const second = await StartedAntrean.start(clone);
    expect(second.redis).toBe(redis);
    await stop(second);
    const other = createServer().listen(Number(new URL(redis).port), '127.0.0.1');
    await once(other, 'listening');
    const third = await StartedAntrean.start(clone);
    other.close();
    expect(third.redis).not.toBe(redis);
    await stop(third);
  });

  it('uses the Redis of REDIS_URL and starts none', async () => {
    const redis = await TestRedis.start();
    const antrean = await StartedAntrean.start(clone, { REDIS_URL: redis.url });
    expect(pidsOf(/redis-server/)).toEqual([]);
    await antrean.settled(await antrean.submit());
    await stop(antrean);
    await redis.stop();
  });

  it('names the port that another program has', async () => {
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
    const terminal = StartedAntrean.open(clone, { LOG_LEVEL: 'loud' });
    await terminal.sees(/LOG_LEVEL.*loud/);
    expect(await terminal.ended).toBe(1);
    expectNothingLeft();
  });

  describe('with a mail in hand', () => {
    let smtp: SmtpTestServer;

    beforeEach(async () => {
      smtp = await SmtpTestServer.start();
    });

    afterEach(async () => {
      await smtp.stop();
    });

    it('lets it settle on Ctrl-C and leaves nothing behind', async () => {
      const release = smtp.hold('data');
      const first = await StartedAntrean.start(clone, { SMTP_URL: smtp.url });
      const job = await first.submit();
      await smtp.reached('data');
      const ended = first.stop();
      await first.terminal.sees(/worker draining/);
      release();
      expect(await ended).toBe(0);
      expectNothingLeft();
      const next = await StartedAntrean.start(clone, { SMTP_URL: smtp.url });
      expect(await next.job(job)).toMatchObject({ status: 'succeeded', attempts: [{ outcome: 'succeeded' }] });
      await stop(next);
      expect(smtp.received).toHaveLength(1);
    });

    it('hands it back when the grace is over, and sends it after the next start', async () => {
      smtp.hang('data');
      const first = await StartedAntrean.start(clone, { SMTP_URL: smtp.url, SHUTDOWN_GRACE_SEC: '1' });
      const job = await first.submit();
      await smtp.reached('data');
      await stop(first);
      const next = await StartedAntrean.start(clone, { SMTP_URL: smtp.url });
      const { attempts } = await next.settled(job);
      expect(attempts.map(({ outcome }) => outcome)).toEqual(['handed_back', 'succeeded']);
      await stop(next);
    });

    it('ends within seconds when its Redis dies, and comes back within seconds', async () => {
      smtp.hang('data');
      const first = await StartedAntrean.start(clone, { SMTP_URL: smtp.url });
      await first.submit();
      await smtp.reached('data');
      clone.kill(/redis-server/);
      const killedAt = performance.now();
      expect(await first.terminal.ended).toBe(1);
      expect(performance.now() - killedAt).toBeLessThan(15_000);
      expectNothingLeft();
      const next = await StartedAntrean.start(clone, { SMTP_URL: smtp.url });
      expect(next.seconds).toBeLessThan(20);
      expect(next.redis).toBe(first.redis);
      await stop(next);
    });

    it('lets the apps of a killed start settle it on the Redis that comes back', async () => {
      const release = smtp.hold('data');
      const killed = await StartedAntrean.start(clone, { SMTP_URL: smtp.url });
      const job = await killed.submit();
      await smtp.reached('data');
      clone.kill(/start\.mjs|redis-server/);
      await killed.terminal.ended;
      const terminal = StartedAntrean.open(clone, { SMTP_URL: smtp.url });
      await terminal.sees(/Stopping the worker that an earlier start left running/);
      release();
      const antrean = await StartedAntrean.on(terminal);
      expect(antrean.seconds).toBeLessThan(20);
      expect(await antrean.job(job)).toMatchObject({ status: 'succeeded', attempts: [{ outcome: 'succeeded' }] });
      await stop(antrean);
      expect(smtp.received).toHaveLength(1);
    });

    it('stops at once when Ctrl-C is pressed again', async () => {
      smtp.hang('data');
      const antrean = await StartedAntrean.start(clone, { SMTP_URL: smtp.url, SHUTDOWN_GRACE_SEC: '600' });
      await antrean.submit();
      await smtp.reached('data');
      const { terminal } = antrean;
      const pressing = setInterval(() => {
        terminal.type(CTRL_C);
      }, 100);
      await terminal.ended;
      clearInterval(pressing);
      expect(terminal.screen).toContain('Stopped at once');
      expectNothingLeft();
    });
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
