import type { Carried } from '../carried.js';
import { carry } from '../carry.js';
import { restore } from '../restore.js';
import type { IsolateCall, IsolateReport } from '../isolate-messages.js';
import { keptJson } from '../../kept-value.js';

interface OpenCall {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** For a step: its work, done when the process asks for it. */
  readonly work: (() => unknown) | undefined;
  /** How the work ended, once it did. What the process makes of that is a copy, and of no class of the user's. */
  ended?: { readonly value: unknown } | { readonly error: unknown };
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
    const answered = this.open.get(call);
    const { ended } = answered ?? {};
    answered?.resolve(ended !== undefined && 'value' in ended ? ended.value : value);
    this.open.delete(call);
  }

  refuse(call: number, refusal: Carried): void {
    const refused = this.open.get(call);
    const { ended } = refused ?? {};
    refused?.reject(ended !== undefined && 'error' in ended ? ended.error : restore(refusal));
    this.open.delete(call);
  }

  /** Does the work of a step. */
  async work(call: number): Promise<void> {
    const step = this.open.get(call);
    if (step?.work === undefined) return;
    try {
      const value = await step.work();
      const json = value === undefined ? undefined : keptJson(value);
      step.ended = { value };
      this.report({ kind: 'worked', call, json });
    } catch (error) {
      step.ended = { error };
      this.report({ kind: 'work_threw', call, thrown: carry(error) });
    }
  }
}
