import { Module, type DynamicModule } from '@nestjs/common';
import { Customers } from './customers/customers.js';
import { ConnectionLog } from './database/connection-log.js';
import { DatabaseLife, type DatabaseLifeOptions } from './database/database-life.js';
import { Database } from './database/database.js';
import { DeliveryLedger } from './deliveries/delivery-ledger.js';
import { Marks } from './deliveries/marks.js';
import { Imports } from './imports/imports.js';
import { OrderOutcomes } from './orders/order-outcomes.js';
import { OrderRequests } from './orders/order-requests.js';
import { Orders } from './orders/orders.js';

const TABLES = [Customers, Orders, OrderOutcomes, OrderRequests, Imports, DeliveryLedger];

/** The shop's data, for the whole application. It does not start with a database that it cannot work on. */
@Module({})
export class ShopModule {
  static register({ databaseUrl, production, logger }: DatabaseLifeOptions): DynamicModule {
    return {
      module: ShopModule,
      global: true,
      providers: [
        { provide: Database, useFactory: () => new Database(databaseUrl, { watch: new ConnectionLog(logger) }) },
        {
          provide: DatabaseLife,
          useFactory: (database: Database) => new DatabaseLife(database, { databaseUrl, production, logger }),
          inject: [Database],
        },
        Marks,
        { provide: DeliveryLedger, useFactory: (marks: Marks) => new DeliveryLedger(marks), inject: [Marks] },
        Customers,
        Orders,
        OrderOutcomes,
        OrderRequests,
        Imports,
      ],
      exports: [Database, DatabaseLife, ...TABLES],
    };
  }
}
