import { isNativeError } from 'node:util/types';
import { StorageAwayError, StorageFullError, StorageRefusedError, UnfitStorageError } from '../storage-errors.js';

const FULL: ReadonlySet<string> = new Set([
  'QuotaExceeded',
  'InsufficientStorage',
  'XMinioStorageFull',
  'XMinioAdminBucketQuotaExceeded',
]);

const NO_BUCKET = 'there is no such bucket. Create it, or mend STORAGE_URL';
/** What is to be mended, by S3's code, or the name that its client gives an error of its own. */
const UNFIT: Readonly<Record<string, string>> = {
  NoSuchBucket: NO_BUCKET,
  // Where an answer has no body. That of an object is told apart before.
  NotFound: NO_BUCKET,
  PermanentRedirect: 'the bucket is in another region. Set region=… in STORAGE_URL',
  AuthorizationHeaderMalformed: 'the bucket is in another region. Set region=… in STORAGE_URL',
  IllegalLocationConstraintException: 'the bucket is in another region. Set region=… in STORAGE_URL',
  CredentialsProviderError:
    'no credentials were found. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role',
  TokenProviderError: 'no credentials were found. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role',
  InvalidAccessKeyId: 'it does not know the access key. Look at AWS_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'the secret does not fit the access key. Look at AWS_SECRET_ACCESS_KEY',
  ExpiredToken: 'the credentials have expired. Give this process new ones',
  InvalidToken: 'the session token is not valid. Give this process new credentials',
  RequestTimeTooSkewed: "the clock of this machine differs too much from the server's. Set it",
  AccessDenied:
    'the credentials may not do this. Allow s3:GetObject, s3:PutObject, s3:DeleteObject, s3:AbortMultipartUpload and s3:ListBucket',
};

/** Answers of 4xx by which a server asks to be tried again. NoSuchUpload: somebody else cleared away what was being written. */
const PASSING: ReadonlySet<string> = new Set(['NoSuchUpload', 'RequestTimeout', 'SlowDown', 'OperationAborted']);
const PASSING_STATUS: ReadonlySet<number> = new Set([408, 409, 425, 429]);

interface S3Fault {
  readonly name: string;
  /** Of the answer; undefined when there was none. */
  readonly status: number | undefined;
}

/** What an error of the S3 client means to who uses the storage. */
export function s3Error(error: unknown, bucket: string): Error {
  const { name, status } = faultOf(error);
  const where = `bucket ${bucket}`;
  if (FULL.has(name) || status === 507) return new StorageFullError(`no room is left in ${where} (${name}).`, error);
  const advice = UNFIT[name] ?? (status === 403 ? UNFIT['AccessDenied'] : (adviceOnRegion(error) ?? adviceWithoutReason(error)));
  if (advice !== undefined) return new UnfitStorageError(`${where}: ${advice} (${name}).`, error);
  const isRefusal = status !== undefined && status >= 400 && status < 500 && !PASSING_STATUS.has(status) && !PASSING.has(name);
  if (isRefusal) return new StorageRefusedError(`${where} answered ${status} ${name}.`, error);
  return new StorageAwayError(
    `${where} does not answer as it should (${status === undefined ? name : `${status} ${name}`}).`,
    error,
  );
}

/** Whether S3 says that there is no such object. It says the same of a bucket to who asks without a body (HEAD). */
export function saysAbsent(error: unknown): boolean {
  const { name, status } = faultOf(error);
  return name === 'NoSuchKey' || (name === 'NotFound' && status === 404);
}

export function saysOutOfRange(error: unknown): boolean {
  return faultOf(error).status === 416;
}

/** Errors of the client carry the status among their metadata; those of the connection are Node's own. */
function faultOf(error: unknown): S3Fault {
  if (!isNativeError(error)) return { name: 'Error', status: undefined };
  const { code, $metadata } = error as { readonly code?: unknown; readonly $metadata?: { readonly httpStatusCode?: number } };
  const name = error.name === 'Error' && typeof code === 'string' ? code : error.name;
  return { name, status: $metadata?.httpStatusCode };
}

/** An answer to HEAD has no body, which would hold the reason; whether a key is too long, say, is known beforehand. */
function adviceWithoutReason(error: unknown): string | undefined {
  const { name, status } = faultOf(error);
  return status === 400 && name.startsWith('Unknown')
    ? 'it refuses without a reason. Look at the credentials, the region and the clock of this machine'
    : undefined;
}

/** The client has only a text for this. */
function adviceOnRegion(error: unknown): string | undefined {
  return isNativeError(error) && error.message === 'Region is missing'
    ? 'its region is not known. Set region=… in STORAGE_URL, or AWS_REGION'
    : undefined;
}
