import { ServerHeldBackError, waitUntilReady } from '@antrean/platform';
import { NotReplicatedError, QueueUnavailableError } from '../definition/errors.js';
import type { Link } from './link.js';

/** A caller of the services waits at most this long for Redis, so that an HTTP answer leaves within two seconds. */
const BUDGET_MS = 1_800;

/** Replies by which Redis refuses a command without having done any of it. */
const REFUSALS = [
  'OOM',
  'READONLY',
  'LOADING',
  'MISCONF',
  'NOREPLICAS',
  'BUSY',
  'MASTERDOWN',
  'CLUSTERDOWN',
  'TRYAGAIN',
  'MOVED',
  'ASK',
  'UNBLOCKED',
];

/** Replies by which Redis lets this user do nothing, or not this: rights or passwords were changed under the application. */
const DENIALS = ['NOPERM', 'NOAUTH', 'WRONGPASS'];
/** … and one that a script got, in the words of Redis 7.0 and of later ones: what it did before that is done. */
const DENIED_INSIDE = /^ERR (The user executing the script can't|ACL failure in script)/;

/** By this the client of a Cluster gives up on a command that each node it was sent to has refused. */
const LAST_REDIRECTION = /^Too many Cluster redirections\. Last error: ReplyError: (.*)/;

/** The client says so of a command that it did not send, because the connection had just broken. */
const UNSENT = "Stream isn't writeable";

/** Reads within the budget. @throws {QueueUnavailableError} as {@link available}, always `not_written`. */
export async function availableToRead<T>(link: Link, call: () => Promise<T>): Promise<T> {
  try {
    return await available(link, call);
  } catch (error) {
    if (!(error instanceof QueueUnavailableError)) throw error;
    throw new QueueUnavailableError('not_written', undefined, { cause: error.cause });
  }
}

/**
 * Runs a call against Redis within the budget, the wait for a connection, and at first for the check of Redis, included.
 * @throws {QueueUnavailableError} when Redis is away, unchecked, refuses, or does not answer in time; other errors pass through.
 */
export async function available<T>(link: Link, call: () => Promise<T>): Promise<T> {
  const started = performance.now();
  if (!link.gate.isOpen && !(await link.gate.opensWithin(BUDGET_MS))) {
    throw new QueueUnavailableError('not_written', undefined, { cause: new Error(link.gate.reason) });
  }
  if (!(await waitUntilReady(link.redis, BUDGET_MS - (performance.now() - started)))) {
    throw new QueueUnavailableError('not_written', undefined, { cause: new Error('There is no connection to Redis.') });
  }
  try {
    return await within(BUDGET_MS - (performance.now() - started), call());
  } catch (error) {
    const outcome = outcomeOf(error);
    if (outcome === undefined) throw error;
    throw new QueueUnavailableError(outcome, undefined, { cause: error });
  }
}

class TimeIsUpError extends Error {}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      // When the event loop was held up, the answer may lie in the socket unread: it is read before this turn ends.
      setImmediate(() => {
        reject(new TimeIsUpError('Redis did not answer in time.'));
      });
    }, ms);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** What an error says about the call; undefined when it is none of Redis' troubles but a fault of ours. */
function outcomeOf(error: unknown): 'not_written' | 'unknown' | undefined {
  if (!(error instanceof Error)) return undefined;
  if (isRedisRefusal(error) || isDenial(error) || error.message.startsWith(UNSENT)) return 'not_written';
  const isOpen =
    error instanceof TimeIsUpError || error instanceof NotReplicatedError || isRedisAway(error) || isDenialInside(error);
  return isOpen ? 'unknown' : undefined;
}

/** Redis takes no such command for now: it is loading, a replica, out of memory, busy, or not checked. Nothing of it was done. */
export function isRedisRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof ServerHeldBackError) return true;
  const reply = error.name === 'ReplyError' ? error.message : LAST_REDIRECTION.exec(error.message)?.[1];
  return reply !== undefined && REFUSALS.some((code) => reply.startsWith(code));
}

function isDenial({ name, message }: Error): boolean {
  return name === 'ReplyError' && DENIALS.some((code) => message.startsWith(code));
}

function isDenialInside({ name, message }: Error): boolean {
  return name === 'ReplyError' && DENIED_INSIDE.test(message);
}

/** Codes of the operating system, such as ECONNRESET; Node's own (ERR_…) are faults of a program. */
const SYSTEM_CODE = /^E(?!RR_)[A-Z_]+$/;

/** Redis is away, takes no such command for now, or does not let this user: no fault of what was asked. */
export function isRedisTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return isRedisAway(error) || isRedisRefusal(error) || isDenial(error) || isDenialInside(error);
}

/** The client rejects with these when a connection ends, or the answer does not come, after a command was handed to it. */
export function isRedisAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    ('code' in error && typeof error.code === 'string' && SYSTEM_CODE.test(error.code)) ||
    /^(Connection is closed|Command timed out|Stream isn't writeable|Failed to refresh slots cache|None of startup nodes)/.test(
      error.message,
    ) ||
    error.name === 'MaxRetriesPerRequestError' ||
    error.name === 'ServersAwayError' ||
    error instanceof ServerHeldBackError ||
    error.name === 'ClusterAllFailedError'
  );
}
