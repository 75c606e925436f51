import type { Command } from '../commands/commands.js';
import { isFinal } from '../rules/job.js';
import type { Settle } from '../rules/settle.js';
import { Violation, must } from '../rules/violation.js';
import { crash, crashStorm, hang, leave, reconcileAll, rollBack } from './disasters.js';
import { carryOutCancel, carryOutRemove, carryOutReplay, carryOutSubmit, carryOutWrite, look, submitAgain } from './jobs.js';
import { again, arriveLate, callNext, carryOutExchange, carryOutReconcile } from './lanes.js';
import {
  carryOutHeartbeat,
  carryOutPromote,
  carryOutReap,
  carryOutRouse,
  carryOutSweep,
  promoteOnce,
  reapOnce,
  settleOverdue,
  sweepOnce,
  takeOverdue,
} from './upkeep.js';
import { carryOutRelay, relayAll } from './relay.js';
import type { World } from './world.js';

const SIDES = [0, 1] as const;
/** Of a worker that reads every payload. */
const NEWEST = 9;
const MOST_ROUNDS = 40;

/** A life of an engine: whatever comes, and then everything that was accepted comes to an end. */
export async function live(world: World, commands: readonly Command[]): Promise<void> {
  for (const [index, command] of commands.entries()) {
    await telling(`command ${index + 1}, ${JSON.stringify(command)}`, () => carryOut(world, command));
  }
  await telling('at the end', () => settleEverything(world));
}

async function telling(where: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Violation) throw new Violation(`${where}:\n${error.message}`, { cause: error });
    throw error;
  }
}

async function carryOut(world: World, command: Command): Promise<void> {
  switch (command.kind) {
    case 'nothing':
      return;
    case 'submit':
      return carryOutSubmit(world, command);
    case 'submit_again':
      return submitAgain(world, command);
    case 'exchange':
      return carryOutExchange(world, command);
    case 'exchange_again':
      return again(world, command);
    case 'exchange_late':
      return arriveLate(world, command);
    case 'reconcile':
      return carryOutReconcile(world, command);
    case 'heartbeat':
      return carryOutHeartbeat(world, command);
    case 'overdue':
      return settleOverdue(world, command);
    case 'blocked':
      return takeOverdue(world, command);
    case 'reap':
      return carryOutReap(world, command);
    case 'promote':
      return carryOutPromote(world, command);
    case 'sweep':
      return carryOutSweep(world, command);
    case 'rouse':
      return carryOutRouse(world, command);
    case 'cancel':
      return carryOutCancel(world, command);
    case 'replay':
      return carryOutReplay(world, command);
    case 'remove':
      return carryOutRemove(world, command);
    case 'write':
      return carryOutWrite(world, command);
    case 'relay':
      return carryOutRelay(world, command);
    case 'look':
      return look(world, command);
    case 'move_clock':
      if (command.bySteps > 0) world.clock.forward(command.bySteps);
      else world.clock.back(-command.bySteps);
      return;
    case 'crash':
      crash(world, command);
      return;
    case 'leave':
      return leave(world, command);
    case 'save':
      return world.save();
    case 'roll_back':
      return rollBack(world, command);
    case 'crash_storm':
      return crashStorm(world, command);
    case 'hang':
      return hang(world, command);
  }
}

/** Nothing is stuck: the workers that live end what they hold, the dead are reaped, time passes, and all else is run. */
async function settleEverything(world: World): Promise<void> {
  await reconcileAll(world);
  for (const worker of world.workers) for (const side of SIDES) await succeedAll(world, side, worker);
  const last = world.newWorker(NEWEST);
  for (const side of SIDES) {
    const { queue } = world.sides[side];
    const open = (): boolean => [...queue.jobs.values()].some((job) => !isFinal(job));
    for (let round = 1; open(); round += 1) {
      must(round < MOST_ROUNDS, `jobs are stuck: ${[...queue.jobs.values()].map(({ status }) => status).join()}`);
      world.clock.forward(100);
      while ((await reapOnce(world, side)) !== undefined);
      await promoteOnce(world, side);
      await callNext(world, side, last, 0, { want: 50 });
      await succeedAll(world, side, last);
    }
    world.clock.forward(200);
    while ((await reapOnce(world, side)) !== undefined);
    await callNext(world, side, last, 0, { want: 1 });
    await sweepOnce(world, side, 250, 0);
    await sweepOnce(world, side, 250, 0);
    must(queue.jobs.size === 0, `${queue.jobs.size} jobs were never swept`);
    await relayAll(world, side);
  }
  await world.compareAll();
  await world.mustBeEmpty();
}

async function succeedAll(world: World, side: 0 | 1, worker: World['workers'][number]): Promise<void> {
  const settles = [...worker.of(side).holds].map(([ulid, token]): Settle => ({
    ulid,
    token,
    ending: { event: 'succeed', result: '' },
  }));
  if (settles.length > 0) await callNext(world, side, worker, 0, { settles });
}
