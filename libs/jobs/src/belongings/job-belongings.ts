/** Which data of Redis' belongings stand for, and from when on they are swept by it. */
export interface BelongingsOrigin {
  readonly origin: string;
  readonly sweptFrom: Date;
}

/** What jobs have stored outside Redis, which goes when they do. */
export abstract class JobBelongings {
  /** Ids of the jobs that have something here, in any order, in constant memory; one may come again. */
  abstract owners(): AsyncIterable<string>;

  /**
   * Removes all that a job has here, and answers whether there was anything. What is gone already is no error; several processes may do
   * it at the same moment.
   */
  abstract remove(jobId: string): Promise<boolean>;

  /** What was kept last for the type; undefined when nothing was. */
  abstract originOf(type: string): Promise<BelongingsOrigin | undefined>;

  /** Keeps it beside the belongings, so that whoever comes with another Redis finds it. */
  abstract keepOrigin(type: string, origin: BelongingsOrigin): Promise<void>;
}
