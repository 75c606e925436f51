import type { Outgoing } from '../../../libs/jobs/src/store/outgoing.js';
import type { QueueView } from '../../support/queue-view.js';
import { nameOf, type Event } from '../rules/outgoing.js';
import type { Queue } from '../rules/queue.js';
import { asRecorded, asTold, runText, textOf } from './compare-job.js';
import { near, sorted, type Differ } from './differ.js';

/** Every end is there to be told until it was handed on, once, with all that was recorded of the job then. */
export function compareOutgoing(queue: Queue, { outgoing }: QueueView, differ: Differ): void {
  // Ends that one call brought about are told in any order.
  const left = [...queue.outgoing];
  const inOrder = outgoing.flatMap(({ ulid, record }) => {
    const isIt = (event: Event): boolean =>
      event.ulid === ulid &&
      event.revision === record.revision &&
      near(record.finishedAt, event.finishedAt) === record.finishedAt;
    const place = left.findIndex(isIt);
    return place < 0 ? [] : left.splice(place, 1).map((event) => Object.assign(event, { finishedAt: record.finishedAt }));
  });
  queue.outgoing.splice(0, queue.outgoing.length, ...inOrder, ...left);
  const names = outgoing.map(({ ulid, record }) => nameOf({ ulid, ...record }));
  differ('what is to be told', names, queue.outgoing.map(nameOf));
  if (names.length !== queue.outgoing.length) return;
  outgoing.forEach((stored, index) => {
    const event = queue.outgoing[index];
    if (event !== undefined) compareEvent(event, stored, differ);
  });
}

function compareEvent(event: Event, { record, extra }: Outgoing, differ: Differ): void {
  differ(`the status in the event of ${event.ulid}`, record.status, event.status);
  differ(`what is told of ${event.ulid}`, sorted(extra), sorted(told(event, extra)));
}

function* told(event: Event, extra: ReadonlyMap<string, string>): Generator<readonly [string, string]> {
  const { result, progress, cancelAskedAt, runs } = event;
  if (result !== '') yield ['result', result];
  if (progress !== undefined) yield ['progress', textOf(asTold(progress, extra.get('progress')))];
  if (cancelAskedAt !== 0) yield ['cancel', String(near(Number(extra.get('cancel')), cancelAskedAt))];
  for (const [number, run] of runs) {
    const field = `run:${number}`;
    yield [field, runText(asRecorded(run, extra.get(field) ?? ''))];
  }
}
