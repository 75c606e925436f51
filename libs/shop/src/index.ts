export { Customers, type Customer, type CustomerEntry, type UpsertCounts } from './customers/customers.js';
export { ConstraintError, DatabaseAwayError, UnfitDatabaseError, isDatabaseTrouble } from './database/database-errors.js';
export { DatabaseLife, type DatabaseReport } from './database/database-life.js';
export { Database, type ShopTransaction } from './database/database.js';
export type { Period } from './database/period.js';
export { DeliveryLedger } from './deliveries/delivery-ledger.js';
export {
  LedgerAwayError,
  newRunId,
  type BeginOutcome,
  type Delivery,
  type OnUnknown,
  type UnsentRuns,
} from './deliveries/delivery.js';
export { StaleImportError, type ImportChunk, type ImportReject, type ImportState } from './imports/import-state.js';
export { Imports } from './imports/imports.js';
export { amountText, inThousands, priceText } from './orders/amount.js';
export { invoiceFile } from './orders/invoice-file.js';
export {
  newOrderJob,
  orderJobFromQueue,
  type NewOrder,
  type Order,
  type OrderCustomer,
  type OrderItem,
  type OrderJob,
  type OrderLine,
} from './orders/order.js';
export { OrderOutcomes } from './orders/order-outcomes.js';
export { OrderRequests, type OrderClaim } from './orders/order-requests.js';
export { Orders } from './orders/orders.js';
export { UnknownCustomerError } from './orders/unknown-customer-error.js';
export { ShopOutbox } from './outbox/shop-outbox.js';
export { ShopModule } from './shop.module.js';
