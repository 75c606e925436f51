import { S3Client } from '@aws-sdk/client-s3';
import type { S3Target } from '../storage-url.js';

/** Downloads that go through a process hold a socket each, for as long as their clients take; calls that find none free would wait. */
const MAX_SOCKETS = 500;

/** A client for the bucket's server. Credentials are looked for where AWS' tools look for them; nothing is sent yet. */
export function connectS3({ endpoint, region }: S3Target): S3Client {
  return new S3Client({
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    // Other servers than Amazon's refuse or spoil bodies with the check sums that the client would add; the signature covers the body.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // An answer, also to a part of a file, is there within a minute; who reads slowly may leave the connection idle.
    requestHandler: {
      ...{ connectionTimeout: 3_000, requestTimeout: 60_000, throwOnRequestTimeout: true, socketTimeout: 120_000 },
      ...{ httpAgent: { maxSockets: MAX_SOCKETS }, httpsAgent: { maxSockets: MAX_SOCKETS } },
    },
  });
}
