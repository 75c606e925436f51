import { defineJob, exponential, type JobDefinition, type JobPolicy } from '@antrean/jobs';
import { payloadFingerprint } from './payload-fingerprint.js';

/**
 * A type whose jobs write a document of the shop's data into the storage. The same document asked for again is the one that there is, as
 * long as its job is kept. Result: `{file_key, rows, bytes, format}`.
 */
export function defineDocument<P extends object>(type: string, payload: JobPolicy<P>['payload']): JobDefinition<P> {
  return defineJob<P>(type, {
    payload,
    // A page of a PDF is computed without a pause.
    isolation: 'thread',
    concurrency: { worker: 2 },
    timeout: '30m',
    retry: exponential({ base: '5s', cap: '10m' }),
    dedupe: { key: payloadFingerprint, policy: 'until_result_expires', onDuplicate: 'existing' },
  });
}
