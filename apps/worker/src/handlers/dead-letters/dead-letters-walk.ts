import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { DeadLettersPayload, DeleteDeadLetters, ReplayDeadLetters } from '@antrean/catalog';
import { DeadLettersService, type DeadLetterFilter, type DeadLetterPlace, type JobContext } from '@antrean/jobs';

type WalkContext = JobContext<typeof ReplayDeadLetters> | JobContext<typeof DeleteDeadLetters>;

/** What a walk came to so far, in jobs. */
export interface WalkCounts {
  readonly seen: number;
  readonly matched: number;
  readonly changed: number;
  readonly refused: number;
}

/** Kept with the job, so that its next run goes on from here. */
interface WalkState extends WalkCounts {
  readonly toMs: number;
  /** How many there were to see at the start. */
  readonly total: number;
  /** Undefined at the start. */
  readonly place?: DeadLetterPlace;
}

/** Goes through the dead letters that a job means, at its pace, from where its last run stopped. */
@Injectable()
export class DeadLettersWalk {
  constructor(private readonly letters: DeadLettersService) {}

  async run(act: 'replay' | 'delete', { payload, checkpoint, progress, signal }: WalkContext): Promise<WalkCounts> {
    // Saved by this very function and nobody else.
    let state = (checkpoint.value as WalkState | undefined) ?? (await this.begin(payload));
    for (;;) {
      signal.throwIfAborted();
      const filter = filterOf(payload, state.toMs);
      const { next, ...step } = await (payload.dry_run === true
        ? this.letters.step('count', filter, state.place)
        : this.letters.step(act, filter, state.place, Math.floor(payload.per_second)));
      state = { ...state, ...added(state, step) };
      progress(state.total === 0 ? 100 : Math.min((100 * state.seen) / state.total, 100), `${state.seen} of ${state.total} seen`);
      if (next === undefined) return added(state, NOTHING);
      state = { ...state, place: next };
      await checkpoint.save(state);
      if (payload.dry_run !== true) await sleep((1_000 * step.matched) / payload.per_second, undefined, { signal });
    }
  }

  private async begin(payload: DeadLettersPayload): Promise<WalkState> {
    const toMs = payload.to === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(payload.to);
    return { ...NOTHING, ...(await this.letters.survey(filterOf(payload, toMs))) };
  }
}

const NOTHING: WalkCounts = { seen: 0, matched: 0, changed: 0, refused: 0 };

function filterOf({ type, error_code, user_id, tag, from }: DeadLettersPayload, toMs: number): DeadLetterFilter {
  return { type, errorCode: error_code, userId: user_id, tag, fromMs: from === undefined ? 0 : Date.parse(from), toMs };
}

function added(a: WalkCounts, b: WalkCounts): WalkCounts {
  return {
    seen: a.seen + b.seen,
    matched: a.matched + b.matched,
    changed: a.changed + b.changed,
    refused: a.refused + b.refused,
  };
}
