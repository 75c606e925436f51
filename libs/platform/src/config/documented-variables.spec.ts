import { readFileSync } from 'node:fs';
import { loadApiConfig } from './api-config.js';
import { loadWorkerConfig } from './worker-config.js';

/** A row of the page's tables of variables: `| variable | default |`, the default in backticks or `unset`. */
const ROW = /^\| `([A-Z_]+)` \| (?:`([^`]+)`|unset) \|/gm;

const page = readFileSync('docs/configuration.md', 'utf8');
const rows = [...page.matchAll(ROW)].map(([, name = '', fallback]) => ({ name, fallback }));

/** The names that are looked up in the environment while a configuration is read. */
function namesRead(load: (env: NodeJS.ProcessEnv) => unknown): string[] {
  const names: string[] = [];
  load(
    new Proxy<NodeJS.ProcessEnv>(
      {},
      {
        get(_env, name) {
          names.push(String(name));
          return undefined;
        },
      },
    ),
  );
  return names;
}

describe('docs/configuration.md', () => {
  it('lists the variables that are read, and no other', () => {
    const read = new Set([...namesRead(loadApiConfig), ...namesRead(loadWorkerConfig)]);
    expect(rows.map(({ name }) => name).sort()).toEqual([...read].sort());
  });

  it('names the defaults that hold', () => {
    const env = Object.fromEntries(rows.map(({ name, fallback }) => [name, fallback]));
    expect(loadApiConfig(env)).toEqual(loadApiConfig({}, false));
    expect(loadWorkerConfig(env)).toEqual(loadWorkerConfig({}, false));
  });
});
