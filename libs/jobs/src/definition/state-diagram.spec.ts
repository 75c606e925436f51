import { readFileSync } from 'node:fs';
import { TRANSITIONS } from './job-status.js';

/** An edge of the diagram: `from --> to: event, event`; `[*]` is a job that does not exist yet. */
const EDGE = /^ +(\S+) --> (\w+): (.+)$/gm;

describe('the state diagram in ARCHITECTURE.md', () => {
  it('shows every legal transition with its event, and no other', () => {
    const page = readFileSync('ARCHITECTURE.md', 'utf8');
    const drawn = [...page.matchAll(EDGE)].flatMap(([, from = '', to = '', events = '']) =>
      events.split(', ').map((event) => `${from === '[*]' ? 'none' : from} ${event} ${to}`),
    );
    const legal = Object.entries(TRANSITIONS).flatMap(([event, { from, to }]) =>
      from.flatMap((origin) => to.map((end) => `${origin} ${event} ${end}`)),
    );
    expect(drawn.sort()).toEqual(legal.sort());
  });
});
