import type { Enqueued, NewJob } from '../../../libs/jobs/src/store/enqueue.js';
import type { Settlement } from '../../../libs/jobs/src/store/exchange.js';
import { encodeNewRecord, flagsOf, storedWebhook, type Facts } from '../../../libs/jobs/src/store/record.js';
import type { Replayed } from '../../../libs/jobs/src/store/replay.js';
import type { ReplayAnswer } from '../rules/control.js';
import type { Submit } from '../rules/job.js';
import type { Ending } from '../rules/settle.js';
import type { SubmitAnswer } from '../rules/submit.js';

export function newRecord({ priority, maxAttempts, timeoutMs, version, payload, traceId, dedupe, webhook }: Submit): Buffer {
  return encodeNewRecord({
    priority,
    maxAttempts,
    timeoutMs,
    payloadVersion: version,
    fingerprint: 0,
    trace: { traceId, parentId: 'b7ad6b7169203331', flags: 1 },
    dedupe: dedupe && { policy: dedupe.policy, key: dedupe.key },
    facts: factsOf(webhook),
    payloadJson: payload,
  });
}

function factsOf(ends: Submit['webhook']): Facts {
  if (ends.length === 0) return {};
  const events = ends.map((end) => `job.${end}` as const);
  return { webhook: storedWebhook({ url: 'https://example.com/', secretName: 'default', events }) };
}

export function newJob(submit: Submit): NewJob {
  const { ulid, when, deadlineMs, dedupe, once, webhook } = submit;
  return {
    ulid,
    when,
    expiresInMs: deadlineMs === 0 ? undefined : deadlineMs,
    dedupeTtlMs: dedupe?.ttlMs ?? 0,
    once: once && { key: once.key, hash: once.body.repeat(32), ttlMs: once.ttlMs },
    flags: flagsOf({ facts: factsOf(webhook) }),
    record: newRecord(submit),
  };
}

export function submitAnswer(answer: Enqueued): SubmitAnswer {
  switch (answer.kind) {
    case 'known':
      return { kind: 'known', status: answer.header.status, revision: answer.header.revision };
    case 'duplicate':
      return { kind: 'duplicate', holder: answer.ulid, status: answer.header?.status };
    case 'accepted':
    case 'too_late':
    case 'expires_before_run':
    case 'events_full':
    case 'once':
    case 'once_mismatch':
      return answer;
  }
}

export function settlement(ending: Ending): Settlement {
  switch (ending.event) {
    case 'succeed':
      return { event: 'succeed', json: ending.result };
    case 'hand_back':
      return ending;
    case 'retry':
    case 'bury':
    case 'snooze': {
      const { error, ...rest } = ending;
      return { ...rest, json: error };
    }
  }
}

export function replayAnswer(answer: Replayed): ReplayAnswer {
  return answer.kind === 'duplicate' ? { holder: answer.holder } : answer.kind;
}
