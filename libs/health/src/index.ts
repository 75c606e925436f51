export { DatabaseIndicator } from './database.indicator.js';
export { HealthDetails } from './health-details.js';
export { HealthDetailsModule } from './health-details.module.js';
export { QueueIndicator } from './queue.indicator.js';
export { StorageIndicator } from './storage.indicator.js';
