import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { BackgroundWork } from './background-work.js';
import { WORKER_PARTS, Worker, type WorkerParts } from './worker.js';

/** Ties a worker to the application's life: it claims once the application is up and stops before connections close. */
@Injectable()
export class WorkerRuntime implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private worker: Worker | undefined;

  constructor(
    @Inject(WORKER_PARTS) private readonly parts: WorkerParts,
    private readonly host: HttpAdapterHost,
    private readonly background: BackgroundWork,
  ) {}

  get current(): Worker | undefined {
    return this.worker;
  }

  onApplicationBootstrap(): void {
    const worker = new Worker(this.parts);
    this.worker = worker;
    // An application that serves HTTP is up when it listens; one without is up now.
    if (!hasAdapter(this.host)) worker.start();
    else if (this.host.listening) worker.start();
    else {
      this.host.listen$.subscribe(() => {
        worker.start();
      });
    }
  }

  /** Both at once and from here: Nest calls the hooks of one module level by level, so two hooks would each take their own grace. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.worker?.stop(), this.background.stop()]);
  }
}

/** The host exists in every application; the types leave out that its adapter does not. */
function hasAdapter(host: { readonly httpAdapter: unknown }): boolean {
  return host.httpAdapter !== undefined && host.httpAdapter !== null;
}
