import { S3Client } from '@aws-sdk/client-s3';
import type { S3Target } from '../storage-url.js';

/** Downloads that go through a process hold a socket each, for as long as their clients take; calls that find none free would wait. */
const MAX_SOCKETS = 500;

/** For an answer to begin; then it is asked again, twice at most. */
const ANSWER_MS = 10_000;
/**
 * For one to what takes longer, given with the call: to send a part of a file, or to make a file of its parts. Three times that is over
 * before the api gives up a request that is silent for two minutes.
 */
export const PATIENT = { requestTimeout: 38_000 } as const;

/** A client for the bucket's server. Credentials are looked for where AWS' tools look for them; nothing is sent yet. */
export function connectS3({ endpoint, region }: S3Target): S3Client {
  return new S3Client({
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    // Other servers than Amazon's refuse or spoil bodies with the check sums that the client would add; the signature covers the body.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Who reads slowly may leave the connection idle.
    requestHandler: {
      ...{ connectionTimeout: 3_000, requestTimeout: ANSWER_MS, throwOnRequestTimeout: true, socketTimeout: 120_000 },
      ...{ httpAgent: { maxSockets: MAX_SOCKETS }, httpsAgent: { maxSockets: MAX_SOCKETS } },
    },
  });
}
