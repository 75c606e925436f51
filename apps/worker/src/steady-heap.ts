import { setFlagsFromString } from 'node:v8';

/**
 * A handler that goes through many rows holds some hundred of them at a time. V8 may conclude that what such code makes lives long, and
 * makes all of it among the old objects, where it is collected late: the heap of an import of a million rows then grows to four
 * times what is in use, and back. Without this conclusion it stays as it is.
 */
export function keepHeapSteady(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
