import { setFlagsFromString } from 'node:v8';

/*
 * Loaded before all else, for its effect on how V8 keeps what this process makes.
 *
 * A handler that goes through many rows holds some hundred of them at a time. V8 may conclude that what such code makes lives long, and
 * makes all of it among the old objects, where it is collected late: the heap of an import of a million rows then grows to four
 * times what is in use, and back. Without this conclusion it stays as it is.
 */
setFlagsFromString('--no-allocation-site-pretenuring');

/*
 * To load an application makes much garbage, for which V8 would take 30 MB of room at once, and give it back late or never. Until the
 * application is up the room stays as it is.
 */
setFlagsFromString('--semi-space-growth-factor=1');

/** To be called once the application is up: from here on, garbage may have more room where much is made. */
export function letHeapGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
