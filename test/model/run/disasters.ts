import type { Command } from '../commands/commands.js';
import { write } from '../rules/notes.js';
import type { Keep, Settle } from '../rules/settle.js';
import { mustEqual } from './answers.js';
import { carryOutCancel } from './jobs.js';
import { callNext, carryOutReconcile, laneOf } from './lanes.js';
import { carryOutHeartbeat, reapOnce, takeOverdue } from './upkeep.js';
import type { World } from './world.js';

type Of<K extends Command['kind']> = Extract<Command, { kind: K }>;

const SIDES = [0, 1] as const;
const LANES = [0, 1] as const;
const LEASE_STEPS = 16;
/** Past the hard limit of most runs. */
const OVERDUE_STEPS = 5;
const KEEP: Keep = { finished: true, failed: true };

/** The process dies with all it knew; another one, with another number, comes. Redis is not told. */
export function crash(world: World, { worker, version }: Pick<Of<'crash'>, 'worker' | 'version'>): void {
  world.workers[worker % world.workers.length] = world.newWorker(version);
}

export async function leave(world: World, { worker: number, version }: Of<'leave'>): Promise<void> {
  for (const side of SIDES) {
    const { worker, memory } = laneOf(world, { side, worker: number });
    const settles = [...memory.holds].map(([ulid, token]): Settle => ({
      ulid,
      token,
      ending: { event: 'hand_back', delayMs: 0 },
    }));
    await callNext(world, side, worker, 0, { want: 'leave', settles });
  }
  crash(world, { worker: number, version });
}

export async function rollBack(world: World, { reconcile }: Of<'roll_back'>): Promise<void> {
  if (!(await world.rollBack())) return world.save();
  if (reconcile) await reconcileAll(world);
}

/** As after a reconnect: every worker, on every lane. */
export async function reconcileAll(world: World): Promise<void> {
  for (const worker of world.workers.keys()) {
    for (const side of SIDES) for (const lane of LANES) await carryOutReconcile(world, { side, worker, lane, page: 10 });
  }
  world.rolledBack = false;
}

export async function crashStorm(world: World, plan: Of<'crash_storm'>): Promise<void> {
  const { side: at, rounds, checkpoints, blocks, blameShared } = plan;
  const side = world.sides[at];
  for (let round = 1; round <= rounds; round += 1) {
    const { worker } = laneOf(world, { side: at, worker: 0 });
    const claimed = await callNext(world, at, worker, 0, { want: 2, version: 3 });
    if (claimed.length === 0) return;
    const notes = claimed.map((ulid) => ({
      ulid,
      token: side.queue.jobs.get(ulid)?.token ?? '',
      kind: 'checkpoint' as const,
      json: `{"round":${round}}`,
    }));
    if (checkpoints) {
      await world.step(
        side,
        () => side.engine.write(notes),
        (answer, now) => {
          mustEqual('notes', answer, write(side.queue, notes, now));
        },
      );
    }
    const block = { kind: 'blocked', side: at, worker: 0, afterSteps: OVERDUE_STEPS, keep: KEEP, blameShared } as const;
    if (blocks) await takeOverdue(world, block);
    crash(world, { worker: 0, version: 3 });
    world.clock.forward(LEASE_STEPS);
    while ((await reapOnce(world, at)) !== undefined);
  }
}

export async function hang(world: World, { side, worker: number, want, cancel, blocks }: Of<'hang'>): Promise<void> {
  const { worker } = laneOf(world, { side, worker: number });
  await callNext(world, side, worker, 1, { want });
  if (cancel) await carryOutCancel(world, { kind: 'cancel', side, among: 'running', jobs: [0, 1] });
  const block = { kind: 'blocked', side, worker: number, afterSteps: OVERDUE_STEPS, keep: KEEP, blameShared: cancel } as const;
  if (blocks) await takeOverdue(world, block);
  await carryOutHeartbeat(world, { kind: 'heartbeat', side, worker: number, afterSteps: OVERDUE_STEPS });
  crash(world, { worker: number, version: worker.version });
  world.clock.forward(LEASE_STEPS);
  await reapOnce(world, side);
}
