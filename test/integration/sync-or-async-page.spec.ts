import { readFileSync } from 'node:fs';
import { catalog } from '@antrean/catalog';

const QUESTIONS = ['Before the answer?', 'If it fails later:', 'Safe to run again?', 'Behind for a while?'];

const sections = readFileSync('docs/sync-or-async.md', 'utf8').split('\n### ').slice(1);

describe('the page on what belongs into a job', () => {
  it.each(catalog.map(({ type }) => type))('answers for %s the questions that differ by type', (type) => {
    const section = sections.find((text) => text.split('\n')[0]?.includes(`\`${type}\``)) ?? '';
    const asked = [...section.matchAll(/^- \*\*(.+?)\*\* \S/gm)].map(([, question]) => question);
    expect(asked).toEqual(QUESTIONS);
  });
});
