import type { RedisConnection } from '@antrean/platform';

/** Every command comes so long after the one before. */
const STEP_MS = 10_000;

/**
 * Within so long after its time has been set a command is carried out, so that much a recorded time may be off. Durations end
 * half-way between two commands, times of day at three quarters, and a jump back leaves the whole steps by BACK_MS: however
 * often the clock moves, no deadline comes near the time of a command.
 */
export const WINDOW_MS = 300;
const BACK_MS = 400;
const MOST_JUMPS_BACK = 5;

const steps = (count: number): number => count * STEP_MS;
export const duration = (wholeSteps: number): number => steps(wholeSteps) + STEP_MS / 2;
/** A time of day so many steps from the beginning. */
export const timeOfDay = (wholeSteps: number): number => START_MS + steps(wholeSteps) + (3 * STEP_MS) / 4;

const START_MS = 1_900_000_000_000;

const SET = `
local time = redis.call('TIME')
redis.call('SET', KEYS[1], string.format('%.0f', ARGV[1] - time[1] * 1000 - math.floor(time[2] / 1000)))`;

/** The time of day in one life of an engine. It stands still during a command. */
export class Clock {
  private jumpsBack = 0;
  now = START_MS;

  next(): number {
    this.now += STEP_MS;
    return this.now;
  }

  forward(wholeSteps: number): void {
    this.now += steps(wholeSteps);
  }

  back(wholeSteps: number): void {
    if (this.jumpsBack === MOST_JUMPS_BACK) return;
    this.jumpsBack += 1;
    this.now -= steps(wholeSteps) - BACK_MS;
  }

  /** Tells Redis, inside of it, so that nothing that holds up this process is added. */
  async set(redis: RedisConnection, clockKey: string): Promise<void> {
    await redis.call('eval', SET, 1, clockKey, this.now);
  }
}
