import { Module, type DynamicModule, type ModuleMetadata, type Type } from '@nestjs/common';
import { OUTBOX_METRICS_PROVIDERS } from './outbox/outbox-metrics.js';
import { OutboxRelayRuntime } from './outbox/outbox-relay-runtime.js';
import { OutboxRelay } from './outbox/outbox-relay.js';
import { OutboxStore } from './outbox/outbox-store.js';
import { Outbox } from './outbox/outbox.js';

/** Where an application's outbox is kept. */
export interface OutboxModuleOptions<Tx> {
  /** Modules that the store's constructor needs. */
  readonly imports?: NonNullable<ModuleMetadata['imports']>;
  readonly store: Type<OutboxStore<Tx>>;
}

/** Jobs that are submitted in a transaction of the application's database. Wants a `JobsModule` beside it. */
@Module({})
export class OutboxModule {
  /** For applications that submit: provides `Outbox`, and the store under `OutboxStore`. */
  static forProducer<Tx>({ imports = [], store }: OutboxModuleOptions<Tx>): DynamicModule {
    return {
      module: OutboxModule,
      global: true,
      imports,
      providers: [{ provide: OutboxStore, useClass: store }, Outbox],
      exports: [Outbox, OutboxStore],
    };
  }

  /** For workers: all of `forProducer`, and a relay that hands the jobs on. Wants a `JobsModule.forWorker` beside it. */
  static forWorker<Tx>(options: OutboxModuleOptions<Tx>): DynamicModule {
    const { providers = [], ...module } = OutboxModule.forProducer(options);
    return { ...module, providers: [...providers, ...OUTBOX_METRICS_PROVIDERS, OutboxRelay, OutboxRelayRuntime] };
  }
}
