import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { loadApiConfig, loadWorkerConfig } from '@antrean/platform';

/** What of docker-compose.yml these tests look at; that the file as a whole is valid is checked against compose's own schema. */
interface Service {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly stop_grace_period: string;
  readonly volumes: readonly string[];
}

const text = readFileSync('docker-compose.yml', 'utf8');
// A service that is absent fails the test that reads it.
const { services } = parse(text, { merge: true }) as {
  readonly services: Readonly<Record<'api' | 'worker' | 'migrate' | 'redis', Service>>;
};
const production = { NODE_ENV: 'production' };

describe('docker-compose.yml', () => {
  it('gives the api an environment that it accepts in production, with a key', () => {
    const { apiKeys } = loadApiConfig({ ...production, ...services.api.environment });
    const [, key = ''] = /Authorization: Bearer (\S+)\)/.exec(text) ?? [];
    expect(apiKeys).toMatchObject([{ name: 'demo', sha256: createHash('sha256').update(key).digest('hex') }]);
  });

  it('gives the worker an environment that it accepts in production, with an SMTP server among the services', () => {
    const { smtpUrl = '' } = loadWorkerConfig({ ...production, ...services.worker.environment });
    expect(Object.keys(services)).toContain(new URL(smtpUrl).hostname);
  });

  it('gives both apps the same files', () => {
    const { storageUrl } = loadApiConfig(services.api.environment);
    expect(loadWorkerConfig(services.worker.environment).storageUrl).toBe(storageUrl);
    const volume = `files:/app/${storageUrl.replace('file:', '')}`;
    expect([services.api.volumes, services.worker.volumes]).toEqual([[volume], [volume]]);
  });

  it('gives the worker longer to stop than the worker gives its jobs', () => {
    const { shutdownGraceMs } = loadWorkerConfig(services.worker.environment);
    expect(Number.parseInt(services.worker.stop_grace_period) * 1_000).toBeGreaterThan(shutdownGraceMs + 10_000);
  });

  it('lets Redis keep every write and drop no job', () => {
    expect(services.redis.command.join(' ')).toMatch(/--appendonly yes .*--maxmemory-policy noeviction/);
  });

  it('gives both apps, and the command that makes its tables, one database among the services', () => {
    const urls = [services.api, services.worker, services.migrate].map(({ environment }) => environment['DATABASE_URL'] ?? '');
    expect(new Set(urls).size).toBe(1);
    expect(Object.keys(services)).toContain(new URL(urls[0] ?? '').hostname);
  });

  it.each(['api', 'worker'] as const)('runs the built %s without a shell in between', (app) => {
    expect(services[app].command).toEqual(['node', '--enable-source-maps', `dist/apps/${app}/src/main.js`]);
  });
});
