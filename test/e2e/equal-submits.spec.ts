import { BuiltProcess } from '../support/built-process.js';
import { eventually } from '../support/eventually.js';
import { REDIS_URL, newKeyPrefix } from '../support/shared-redis.js';

jest.setTimeout(180_000);

const COUNT = 500;
const body = JSON.stringify({
  type: 'email.send',
  payload: { to: 'budi@example.com', template: 'welcome', variables: { name: 'Budi' } },
});

describe('500 equal submits with one Idempotency-Key, over three api processes', () => {
  const env = { REDIS_URL, KEY_PREFIX: newKeyPrefix(), PORT: '0', WORKER_PORT: '0' };
  let apis: readonly BuiltProcess[];
  let worker: BuiltProcess | undefined;

  beforeAll(async () => {
    apis = await Promise.all([1, 2, 3].map(() => BuiltProcess.start('api', env)));
  });

  afterAll(async () => {
    await Promise.all([...apis, ...(worker === undefined ? [] : [worker])].map((process) => process.dispose()));
  });

  /** The different answers, and how many of them say that they are repeated. */
  const submitAll = async () => {
    const urls = await Promise.all(apis.map((api) => api.url()));
    // The first request of a process compiles what the others use; that is not what is tried here.
    await Promise.all(urls.map((url) => fetch(`${url}/health`)));
    const submit = async (url: string) => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': 'one' };
      const answer = await fetch(`${url}/jobs`, { method: 'POST', headers, body });
      return { text: `${answer.status} ${await answer.text()}`, replayed: answer.headers.get('idempotent-replayed') };
    };
    const answers = await Promise.all(Array.from({ length: COUNT }, (_, n) => submit(urls[n % urls.length] ?? '')));
    return {
      texts: [...new Set(answers.map(({ text }) => text))],
      replayed: answers.filter(({ replayed }) => replayed === 'true').length,
    };
  };

  it('make one job and get one answer, also after the job has finished, and from an api that was started since', async () => {
    const first = await submitAll();
    expect(first).toEqual({ texts: [expect.stringMatching(/^202 /)], replayed: COUNT - 1 });

    worker = await BuiltProcess.start('worker', env);
    const [api] = await Promise.all(apis.map((one) => one.url()));
    await eventually(async () => {
      const { data } = (await (await fetch(`${api ?? ''}/jobs?status=succeeded`)).json()) as { data: readonly object[] };
      expect(data).toHaveLength(1);
    });
    expect(await submitAll()).toEqual({ texts: first.texts, replayed: COUNT });

    await Promise.all(
      apis.map(async (one) => {
        one.kill('SIGTERM');
        await one.exit();
        await one.dispose();
      }),
    );
    apis = [await BuiltProcess.start('api', env)];
    expect(await submitAll()).toEqual({ texts: first.texts, replayed: COUNT });
  });
});
