import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { JobCatalog } from '../definition/job-catalog.js';
import type { Handles } from '../definition/job-context.js';
import type { JobDefinition } from '../definition/job-definition.js';
import { HandlerOf } from '../definition/job-handler.decorator.js';
import { unchecked } from '../definition/unchecked-payload.js';
import { IsolatedHandler } from './isolation/isolated-handler.js';
import { isolationFaults } from './isolation/isolation-faults.js';
import { TypeSelection } from './type-selection.js';
import { WORKER_OPTIONS, type WorkerOptions } from './worker-options.js';

/** A job type and the provider that does its work. */
export interface RegisteredHandler {
  readonly definition: JobDefinition;
  readonly handler: Handles<JobDefinition>;
  /** The same handler, when its jobs run in threads. */
  readonly threads?: IsolatedHandler;
}

/** The worker cannot start as it is put together; the message names everything that is wrong. */
export class WorkerBootError extends Error {
  override readonly name = 'WorkerBootError';

  constructor(faults: readonly string[]) {
    super(`The worker cannot start:\n${faults.map((fault) => `- ${fault}`).join('\n')}`);
  }
}

/** At a shutdown the jobs are settled or handed back by now; what threads still do is only to be ended. */
const THREADS_GRACE_MS = 1_000;

/** Finds the handlers among the application's providers, once, when the module starts. */
@Injectable()
export class HandlerRegistry implements OnModuleInit, OnApplicationShutdown {
  private registered: readonly RegisteredHandler[] = [];
  private readonly isolated: IsolatedHandler[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly catalog: JobCatalog,
    @Inject(WORKER_OPTIONS) private readonly options: WorkerOptions,
  ) {}

  /** The handlers this worker runs. */
  get handlers(): readonly RegisteredHandler[] {
    return this.registered;
  }

  /** @throws {WorkerBootError} on a duplicate, request-scoped, unknown or missing handler, and when the patterns select none. */
  onModuleInit(): void {
    const faults: string[] = [];
    const byType = this.discover(faults);
    const selection = new TypeSelection(this.options.types);
    this.isolate(byType, selection, faults);
    const known = `There are handlers for: ${[...byType.keys()].join(', ')}.`;
    const isMissing = (type: string): boolean => !byType.has(type) && this.catalog.find(type)?.isolation !== 'thread';
    for (const type of selection.named.filter(isMissing)) {
      faults.push(`WORKER_TYPES names "${type}", for which no provider is decorated with @JobHandler. ${known}`);
    }
    for (const type of Object.keys(this.options.concurrency).filter(isMissing)) {
      faults.push(`WORKER_CONCURRENCY names "${type}", for which no provider is decorated with @JobHandler. ${known}`);
    }
    const selected = [...byType.values()].filter(({ definition }) => selection.includes(definition.type));
    if (faults.length === 0 && byType.size > 0 && selected.length === 0 && !this.excludesOnly()) {
      faults.push(`WORKER_TYPES "${this.options.types.join(',')}" selects no job type. ${known}`);
    }
    if (faults.length > 0) throw new WorkerBootError(faults);
    this.registered = selected;
    for (const handler of this.isolated) handler.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.isolated.map((handler) => handler.close(THREADS_GRACE_MS)));
  }

  /** Who writes exclusions only means what they leave out, if need be all: such a worker just keeps house. */
  private excludesOnly(): boolean {
    return this.options.types.every((pattern) => pattern.startsWith('!'));
  }

  private discover(faults: string[]): Map<string, RegisteredHandler> {
    const byType = new Map<string, RegisteredHandler>();
    for (const wrapper of this.discovery.getProviders({ metadataKey: HandlerOf.KEY })) {
      const definition = this.discovery.getMetadataByDecorator(HandlerOf, wrapper);
      if (definition === undefined) continue;
      const { type } = definition;
      if (!wrapper.isDependencyTreeStatic() || wrapper.isTransient) {
        faults.push(`The handler ${wrapper.name} of "${type}" is not a singleton; handlers outlive requests and must be.`);
      } else if (byType.has(type)) {
        faults.push(`"${type}" has two handlers: ${byType.get(type)?.handler.constructor.name ?? ''} and ${wrapper.name}.`);
      } else if (this.catalog.find(type) !== definition) {
        faults.push(`The definition of "${type}" that ${wrapper.name} handles is not among those given to the jobs module.`);
      } else if (definition.isolation === 'thread') {
        faults.push(
          `"${type}" runs in threads, but its handler ${wrapper.name} is among the worker's own providers. ` +
            'Leave it to the module whose file forWorker({ isolated }) names.',
        );
      } else {
        // @JobHandler accepts classes that implement Handles only.
        byType.set(type, { definition, handler: wrapper.instance as Handles<JobDefinition> });
      }
    }
    return byType;
  }

  /** Types that run in threads have their handler there; here one stands for it. */
  private isolate(byType: Map<string, RegisteredHandler>, selection: TypeSelection, faults: string[]): void {
    const { concurrency, isolated = {}, isolatedHeapMb: maxHeapMb, logger } = this.options;
    const { catalog } = this;
    faults.push(...isolationFaults(catalog.all, isolated, (type) => selection.includes(type)));
    for (const [type, file] of Object.entries(isolated)) {
      const definition = catalog.find(type);
      if (definition?.isolation !== 'thread') continue;
      const handler = new IsolatedHandler({
        ...{ definition, file, catalog, logger, maxHeapMb },
        concurrency: concurrency[type] ?? definition.concurrency,
      });
      this.isolated.push(handler);
      byType.set(type, {
        // The thread makes the instance and checks it, so here the payload stays as it was submitted.
        definition: { ...definition, payload: unchecked() },
        handler,
        threads: handler,
      });
    }
  }
}
