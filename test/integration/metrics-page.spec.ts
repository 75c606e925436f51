import { readFileSync } from 'node:fs';
import { Test } from '@nestjs/testing';
import { BELONGINGS_METRICS_PROVIDERS } from '../../libs/jobs/src/belongings/belongings-metrics.js';
import { OUTBOX_METRICS_PROVIDERS } from '../../libs/jobs/src/outbox/outbox-metrics.js';
import { startTestApi } from '../support/api-app.js';

const NAME = /antrean_[a-z]+(?:_[a-z]+)*/g;

describe('docs/metrics.md', () => {
  it('lists what is to be had, with its kind, and wakes nobody for anything else', async () => {
    // All metrics of a process stand in one registry, those that only a worker has as well.
    await Test.createTestingModule({ providers: [...OUTBOX_METRICS_PROVIDERS, ...BELONGINGS_METRICS_PROVIDERS] }).compile();
    const api = await startTestApi();
    const { text } = await api.http.get('/metrics');
    await api.close();
    const served = [...text.matchAll(/^# TYPE (antrean_\w+) (\w+)$/gm)].map(([, name, kind]) => `${name} ${kind}`);
    const page = readFileSync('docs/metrics.md', 'utf8');
    const listed = [...page.matchAll(/^\| `(antrean_\w+)` \| (\w+) \|/gm)].map(([, name, kind]) => `${name} ${kind}`);
    expect(listed.toSorted()).toEqual(served.toSorted());
    const names = new Set(listed.map((line) => line.split(' ')[0]));
    expect([...page.matchAll(NAME)].filter(([name]) => !names.has(name))).toEqual([]);
  });
});
