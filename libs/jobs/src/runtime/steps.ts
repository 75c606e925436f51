import { NotStorableError } from '../definition/errors.js';
import { UNFIT_TEXT, isFitText } from '../definition/fit-text.js';
import { kindOf } from '../definition/kind-of.js';
import { keptJson } from './kept-value.js';
import type { RunNotes } from './run-notes.js';
import { StepNesting } from './step-nesting.js';

const MAX_STEPS = 100;
const MAX_NAME_CHARACTERS = 64;
/** How a step that returned nothing is kept. */
const NOTHING = '';

/** The steps of one job that are done, and those that its handler does now. */
export class Steps {
  /** By name; the same step asked for twice at once is done once. */
  private readonly started = new Map<string, Promise<unknown>>();
  private readonly nesting = new StepNesting();
  private readonly doneJsons: Map<string, string>;

  constructor(
    private readonly notes: RunNotes,
    doneJsons: ReadonlyMap<string, string>,
  ) {
    this.doneJsons = new Map(doneJsons);
  }

  async run<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    this.check(name);
    const started = this.started.get(name) ?? this.do(name, work);
    this.started.set(name, started);
    try {
      // Kept under this name by the same handler; what JSON makes of a T stands for it.
      return (await started) as T;
    } finally {
      this.started.delete(name);
    }
  }

  private async do(name: string, work: () => unknown): Promise<unknown> {
    const done = this.doneJsons.get(name);
    if (done !== undefined) return done === NOTHING ? undefined : JSON.parse(done);
    const result: unknown = await this.nesting.run(name, work);
    const json = result === undefined ? NOTHING : keptJson(result);
    await this.notes.keep(`step:${name}`, json);
    this.doneJsons.set(name, json);
    return result;
  }

  private check(name: string): void {
    const fault = this.faultOf(name);
    if (fault !== undefined) throw new NotStorableError([{ pointer: '/name', detail: fault }]);
    this.nesting.check(name);
  }

  private faultOf(name: string): string | undefined {
    if (typeof name !== 'string') return `must be a string, not ${kindOf(name)}`;
    if (name === '' || name.length > MAX_NAME_CHARACTERS) return `must have 1 to ${MAX_NAME_CHARACTERS} characters`;
    if (!isFitText(name)) return UNFIT_TEXT;
    const isNew = !this.doneJsons.has(name) && !this.started.has(name);
    return isNew && this.doneJsons.size + this.started.size >= MAX_STEPS
      ? `is one step more than the ${MAX_STEPS} of a job`
      : undefined;
  }
}
