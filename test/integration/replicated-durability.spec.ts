import { QueueHealth, QueueUnavailableError } from '@antrean/jobs';
import { closeRedis, connectRedis, waitUntilReady, type RedisConnection } from '@antrean/platform';
import { Link } from '@antrean/jobs/testing';
import { Redis } from 'ioredis';
import { NotReplicatedError } from '../../libs/jobs/src/definition/errors.js';
import { SUBMIT_LINK } from '../../libs/jobs/src/services/submit-link.js';
import { ReplicaGate } from '../../libs/jobs/src/store/replicated.js';
import { startTestApi, type TestApi } from '../support/api-app.js';
import { untilAccepted } from '../support/away-answer.js';
import { eventually } from '../support/eventually.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { silentLogger } from '../support/shared-redis.js';
import { schemaFaults } from '../support/open-api.js';
import { PathHandler, PathJob } from '../support/path-job.js';
import { TestCluster } from '../support/test-cluster.js';
import { TestRedis } from '../support/test-redis.js';
import { succeeded } from '../support/until-job.js';

const env = (url: string) => ({ REDIS_URL: url, DURABILITY: 'replicated' });
const warnedAlone = (lines: readonly Readonly<Record<string, unknown>>[]): boolean =>
  lines.some(({ msg }) => String(msg).startsWith('redis has no replica'));

describe('with DURABILITY=replicated', () => {
  let master: TestRedis;
  let replica: TestRedis;
  let onReplica: Redis;
  let app: JobsApp;

  beforeAll(async () => {
    master = await TestRedis.start(['--repl-diskless-sync-delay', '0']);
    replica = await TestRedis.start(['--replicaof', '127.0.0.1', String(master.port)]);
    onReplica = new Redis({ port: replica.port });
    await eventually(async () => {
      expect(await onReplica.info('replication')).toContain('master_link_status:up');
    });
    app = await startJobsApp([PathJob], [PathHandler], { redisUrl: master.url, durability: 'replicated' });
  });

  afterAll(async () => {
    onReplica.disconnect();
    await app.close();
    await Promise.all([replica.stop(), master.stop()]);
  });

  const keyOf = (jobId: string): string => app.link.keys(PathJob.type).job(jobId.slice(jobId.lastIndexOf('_') + 1));

  it('a job that is accepted is on a replica, alone and among many', async () => {
    // On a busy machine a replica may take too long once.
    const submit = () => eventually(() => app.queue.enqueue(PathJob, { act: 'return' }));
    const found = Array.from({ length: 300 }, async () => onReplica.exists(keyOf((await submit()).jobId)));
    expect(new Set(await Promise.all(found))).toEqual(new Set([1]));
  });

  it('a submit that no replica acknowledges is answered in time: it may have been accepted, and is safe to repeat', async () => {
    replica.freeze();
    try {
      const sentAt = performance.now();
      const submits = Array.from({ length: 100 }, (_, n) =>
        app.queue.enqueue(PathJob, { act: 'return' }, { onceKey: `key ${n}` }),
      );
      const results = await Promise.allSettled(submits);
      expect(performance.now() - sentAt).toBeLessThan(3_000);
      const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
      expect(errors).toHaveLength(100);
      for (const error of errors) expect(error).toMatchObject({ code: 'not_replicated', outcome: 'unknown' });
      const jobId = errors[0] instanceof QueueUnavailableError ? (errors[0].jobId ?? '') : '';
      // It was written, so it runs.
      await app.until(jobId, succeeded);
      const again = () => app.queue.enqueue(PathJob, { act: 'return' }, { onceKey: 'key 0' });
      await expect(again()).rejects.toMatchObject({ outcome: 'unknown', jobId });
      replica.thaw();
      expect(await eventually(again)).toMatchObject({ jobId, repeated: true });
    } finally {
      replica.thaw();
    }
  });

  it('nothing but submits waits for a replica that does not answer: workers claim and settle, and jobs are read', async () => {
    const { counts: before } = await app.status.depth(PathJob.type);
    replica.freeze();
    try {
      let isAnswered = false;
      const submit = app.queue.enqueue(PathJob, { act: 'return' }).finally(() => {
        isAnswered = true;
      });
      const refused = expect(submit).rejects.toMatchObject({ outcome: 'unknown' });
      await eventually(async () => {
        expect((await app.status.depth(PathJob.type)).counts.succeeded).toBe(before.succeeded + 1);
      });
      expect(isAnswered).toBe(false);
      await refused;
    } finally {
      replica.thaw();
    }
  });

  it('a write whose connection is lost before a replica was asked is not taken for replicated', async () => {
    const { redis } = app.link;
    const write = async (): Promise<void> => {
      const back = new Promise((resolve) => redis.once('ready', resolve));
      redis.disconnect(true);
      await back;
    };
    await expect(new ReplicaGate(app.link).pass(PathJob.type, write)).rejects.toThrow('The connection was lost');
  });

  it('no write to a type whose mark is refused is taken for replicated, however many are under way', async () => {
    const [refused, taken] = ['refused', 'taken'];
    const marked = new Link(app.link.redis, 'test');
    const keys = [marked.keys(refused).seq, marked.keys(taken).seq, marked.keys(taken).replicated];
    const admin = new Redis(master.url);
    await admin.call('ACL', 'SETUSER', 'unmarked', 'on', '>secret', '+@all', ...keys.map((key) => `~${key}`));
    const redis = connectRedis(master.url.replace('//', '//unmarked:secret@'), { name: 'antrean-test', logger: silentLogger });
    expect(await waitUntilReady(redis, 10_000)).toBe(true);
    const gate = new ReplicaGate(new Link(redis, 'test'));
    const accepted = { [refused]: 0, [taken]: 0 };
    const submitOften = async (type: string, first: number): Promise<void> => {
      const write = async (turns: number): Promise<void> => {
        await redis.incr(marked.keys(type).seq);
        // What stands between a reply and who waits for it takes some turns, in any of which a round may end.
        for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      };
      for (let n = 0; n < 25; n += 1) {
        await gate
          .pass(type, () => write((first + n) % 25))
          .then(
            () => (accepted[type] = (accepted[type] ?? 0) + 1),
            (error: unknown) => {
              expect(error).toBeInstanceOf(NotReplicatedError);
            },
          );
      }
    };
    await Promise.all(Array.from({ length: 40 }, (_, n) => submitOften(n % 2 === 0 ? refused : taken, n)));
    closeRedis(redis);
    admin.disconnect();
    expect(accepted[refused]).toBe(0);
    expect(accepted[taken]).toBeGreaterThan(400);
  });

  it('a connection that jobs are submitted on and that is gone shows in the health', async () => {
    const submitter = await startJobsApp([PathJob], [], { redisUrl: master.url, durability: 'replicated' });
    const health = submitter.app.get(QueueHealth);
    expect(await health.check()).toEqual({ ping: true, write: true, replica: true });
    closeRedis(submitter.app.get<Link>(SUBMIT_LINK).redis);
    const detail = 'Redis takes no writes on the connection that jobs are submitted on.';
    expect(await health.check()).toEqual({ ping: true, write: false, replica: null, detail });
    await submitter.close();
  });

  it('a replica that is connected and hangs shows in the health, as long as it does', async () => {
    const health = app.app.get(QueueHealth);
    expect(await health.check()).toEqual({ ping: true, write: true, replica: true });
    replica.freeze();
    const detail = expect.stringContaining('none confirms a write in time') as string;
    expect(await health.check()).toEqual({ ping: true, write: true, replica: false, detail });
    replica.thaw();
    await eventually(async () => {
      expect(await health.check()).toEqual({ ping: true, write: true, replica: true });
    });
  });

  it('however many ask for the health while a replica hangs, a submit is answered in time that no replica has it', async () => {
    const health = app.app.get(QueueHealth);
    const blocked = async () => /blocked_clients:(\d+)/.exec(await app.link.redis.info('clients'))?.[1];
    expect(await blocked()).toBe('0');
    replica.freeze();
    try {
      const checks = Array.from({ length: 8 }, () => health.check());
      await eventually(async () => {
        expect(await blocked()).toBe('1');
      });
      await expect(app.queue.enqueue(PathJob, { act: 'return' })).rejects.toMatchObject({ code: 'not_replicated' });
      for (const report of await Promise.all(checks)) expect(report).toMatchObject({ write: true, replica: false });
    } finally {
      replica.thaw();
    }
  });

  it('the api is ready, and warns of nothing', async () => {
    const api = await startTestApi(env(master.url));
    expect(warnedAlone(api.log)).toBe(false);
    expect((await api.http.get('/health/ready')).status).toBe(200);
    expect((await api.http.get('/health')).body).toMatchObject({ status: 'ok', details: { redis: { replica: true } } });
    await untilAccepted(api);
    await api.close();
  });
});

describe('with DURABILITY=replicated and no replica', () => {
  let master: TestRedis;
  let api: TestApi;

  beforeAll(async () => {
    master = await TestRedis.start(['--repl-diskless-sync-delay', '0']);
    api = await startTestApi(env(master.url));
  });

  afterAll(async () => {
    await api.close();
    await master.stop();
  });

  const wayOut = expect.stringMatching(/no replica.*REPLICAOF.*DURABILITY=local/) as string;
  const alone = { status: 'down', ping: true, write: true, replica: false, detail: wayOut };

  it('the api says with 503 that the queue has the job and no replica confirmed it, and which job that is', async () => {
    const job = { type: 'email.send', payload: { to: 'budi@example.com', template: 'welcome' } };
    const answer = await api.http.post('/jobs').send(job);
    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toBe('2');
    expect(answer.body).toMatchObject({
      type: 'urn:antrean:problem:not_replicated',
      title: 'The queue has the job, but no replica has confirmed it',
      code: 'not_replicated',
      outcome: 'unknown',
      job_id: expect.stringMatching(/^email.send_/) as string,
    });
    expect(schemaFaults('UnavailableProblem', answer.body)).toEqual([]);
    expect((await api.http.get(`/jobs/${(answer.body as { job_id: string }).job_id}`)).status).toBe(200);
  });

  it('the api warns at its start, and is not ready before it has seen one; when that is lost it stays in service, and its health says so', async () => {
    expect(warnedAlone(api.log)).toBe(true);
    expect((await api.http.get('/health/ready')).body).toMatchObject({ status: 503, code: 'not_ready', detail: wayOut });
    expect((await api.http.get('/health')).body).toMatchObject({ status: 'error', error: { redis: alone } });
    const replica = await TestRedis.start(['--replicaof', '127.0.0.1', String(master.port)]);
    await eventually(async () => {
      expect((await api.http.get('/health/ready')).status).toBe(200);
    });
    await untilAccepted(api);
    expect((await api.http.get('/health')).body).toMatchObject({ status: 'ok', details: { redis: { replica: true } } });
    // While it writes its first file it does not end in good order.
    await replica.kill();
    await replica.stop();
    await eventually(async () => {
      expect((await api.http.get('/health')).body).toMatchObject({ status: 'error', error: { redis: alone } });
    });
    expect((await api.http.get('/health/ready')).status).toBe(200);
  });
});

describe('on a Cluster with DURABILITY=replicated', () => {
  let cluster: TestCluster;
  let redis: RedisConnection;

  beforeAll(async () => {
    cluster = await TestCluster.start();
    redis = connectRedis(cluster.url, { name: 'antrean-test', logger: silentLogger });
    expect(await waitUntilReady(redis, 10_000)).toBe(true);
  });

  afterAll(async () => {
    closeRedis(redis);
    await cluster.stop();
  });

  it('the node of the type is the one that must have a replica', async () => {
    const link = new Link(redis, 'test');
    const types = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const owner = await cluster.ownerOf(await cluster.slotOf(link.keys('a').clock));
    await cluster.addReplica(owner);
    const gate = new ReplicaGate(link);
    const health = new QueueHealth(link, link, gate, { durability: 'replicated', definitions: [] });
    expect(await health.refusal()).toBeUndefined();
    expect(await health.check()).toMatchObject({
      replica: false,
      detail: expect.stringContaining('A server of the Cluster') as string,
    });
    for (const type of types) {
      const { clock, seq } = link.keys(type);
      const passed = gate.pass(type, () => redis.set(seq, 1));
      if ((await cluster.ownerOf(await cluster.slotOf(clock))) === owner) expect(await passed).toBe('OK');
      else await expect(passed).rejects.toThrow('No replica has acknowledged');
    }
  });

  describe('whose nodes have replicas', () => {
    const leaver = 'leaver';
    const others = Array.from({ length: 12 }, (_, n) => `type-${n}`);
    let link: Link;
    let gate: ReplicaGate;

    beforeAll(async () => {
      for (const node of cluster.nodes) await cluster.addReplica(node);
      link = new Link(redis, 'test');
      gate = new ReplicaGate(link);
    });

    const slotOf = (type: string) => cluster.slotOf(link.keys(type).clock);
    const move = async (type: string) => (await cluster.beginMove(await slotOf(type))).end();
    const submit = (type: string) => gate.pass(type, () => redis.set(link.keys(type).seq, 1));

    it('a type whose slot has moved to another node holds up none of those that stay', async () => {
      const source = await cluster.ownerOf(await slotOf(leaver));
      const owners = await Promise.all(others.map(async (type) => [type, await cluster.ownerOf(await slotOf(type))] as const));
      const [stayer = ''] = owners.find(([, owner]) => owner === source) ?? [];
      expect(await submit(leaver)).toBe('OK');
      await move(leaver);
      expect(await submit(stayer)).toBe('OK');
      // The client learns by a write that the slot has moved.
      expect(await eventually(() => submit(leaver))).toBe('OK');
      expect(await submit(stayer)).toBe('OK');
    });

    it('a write is not taken for replicated when its slot moves on before a replica was asked', async () => {
      const write = async () => {
        await redis.set(link.keys(leaver).seq, 2);
        await move(leaver);
      };
      await expect(gate.pass(leaver, write)).rejects.toThrow('no longer takes writes');
      expect(await eventually(() => submit(leaver))).toBe('OK');
    });
  });
});
