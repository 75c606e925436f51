import { decodeOutgoing } from '../../../libs/jobs/src/store/outgoing.js';
import type { Command } from '../commands/commands.js';
import { handOn, nameOf } from '../rules/outgoing.js';
import { mustEqual, mustNotBeLate } from './answers.js';
import type { World } from './world.js';

type Relay = Extract<Command, { kind: 'relay' }>;

export async function carryOutRelay(world: World, { side: at, limit, drops }: Relay): Promise<void> {
  const earlier = world.sides[at].read.at(-1) ?? [];
  const events = await readOnce(world, at, limit);
  if (drops === 'none') return;
  await dropOnce(world, at, drops === 'earlier' ? earlier : events);
  if (drops === 'these_twice') await dropOnce(world, at, events);
}

/** Whoever comes in the end hands on all that there is. */
export async function relayAll(world: World, at: 0 | 1): Promise<void> {
  for (;;) {
    const events = await readOnce(world, at, 16);
    if (events.length === 0) return;
    await dropOnce(world, at, events);
  }
}

async function readOnce(world: World, at: 0 | 1, limit: number): Promise<readonly Buffer[]> {
  const side = world.sides[at];
  let events: readonly Buffer[] = [];
  let names: readonly string[] = [];
  await world.step(
    side,
    () => side.engine.outgoing(limit),
    (answer) => {
      mustNotBeLate(answer);
      events = answer;
      names = namesOf(events);
    },
  );
  mustEqual('the events that were read', names, Array.from(side.queue.outgoing.slice(0, limit), nameOf));
  if (events.length > 0) side.read.push(events);
  return events;
}

async function dropOnce(world: World, at: 0 | 1, events: readonly Buffer[]): Promise<void> {
  const side = world.sides[at];
  await world.step(
    side,
    () => side.engine.dropOutgoing(events),
    (answer) => {
      mustEqual('the number of events dropped', answer, handOn(side.queue, namesOf(events)));
    },
  );
}

const namesOf = (events: readonly Buffer[]): string[] =>
  events.map(decodeOutgoing).map(({ ulid, record }) => nameOf({ ulid, ...record }));
