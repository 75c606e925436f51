import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { WORKER_PARTS, Worker, type WorkerParts } from './worker.js';

/** Ties a worker to the application's life: it claims once the application is up and stops before connections close. */
@Injectable()
export class WorkerRuntime implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private worker: Worker | undefined;

  constructor(
    @Inject(WORKER_PARTS) private readonly parts: WorkerParts,
    private readonly host: HttpAdapterHost,
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

  async beforeApplicationShutdown(): Promise<void> {
    await this.worker?.stop();
  }
}

/** The host exists in every application; the types leave out that its adapter does not. */
function hasAdapter(host: { readonly httpAdapter: unknown }): boolean {
  return host.httpAdapter !== undefined && host.httpAdapter !== null;
}
