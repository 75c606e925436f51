import { carry, restore, type Carried } from '../carried.js';
import type { IsolateCall, IsolateReport } from '../isolate-messages.js';
import { jsonText } from './json-text.js';

interface OpenCall {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** For a step: its work, done when the process asks for it. */
  readonly work: (() => unknown) | undefined;
  /** What the work threw, itself: its copy from the process is of no class of the user's. */
  thrown?: { readonly error: unknown };
}

/** What the handlers of this thread asked of the process and are not answered yet. */
export class Calls {
  private readonly open = new Map<number, OpenCall>();
  private latest = 0;

  constructor(private readonly report: (report: IsolateReport) => void) {}

  /** @throws what the process throws at the call; an error when an option cannot be sent. */
  ask(run: number, asks: IsolateCall, work?: () => unknown): Promise<unknown> {
    const call = (this.latest += 1);
    return new Promise((resolve, reject) => {
      this.report({ kind: 'call', run, call, asks });
      this.open.set(call, { resolve, reject, work });
    });
  }

  answer(call: number, value: unknown): void {
    this.open.get(call)?.resolve(value);
    this.open.delete(call);
  }

  refuse(call: number, refusal: Carried): void {
    const refused = this.open.get(call);
    refused?.reject(refused.thrown === undefined ? restore(refusal) : refused.thrown.error);
    this.open.delete(call);
  }

  /** Does the work of a step. */
  async work(call: number): Promise<void> {
    const step = this.open.get(call);
    if (step?.work === undefined) return;
    try {
      this.report({ kind: 'worked', call, json: jsonText(await step.work()) });
    } catch (error) {
      step.thrown = { error };
      this.report({ kind: 'work_threw', call, thrown: carry(error) });
    }
  }
}
