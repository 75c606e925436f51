import type { JobDefinition } from '@antrean/jobs';
import { AnalyticsAppend } from './analytics-append.job.js';
import { DeleteDeadLetters, ReplayDeadLetters } from './dead-letters.jobs.js';
import { ExportGenerate } from './export-generate.job.js';
import { HttpRequest } from './http-request.job.js';
import { ImportCustomers } from './import-customers.job.js';
import { InvoiceRender } from './invoice-render.job.js';
import { ReportGenerate } from './report-generate.job.js';
import { SendEmail } from './send-email.job.js';
import { WebhookDeliver } from './webhook-deliver.job.js';

export { AnalyticsAppend, AnalyticsEvent } from './analytics-append.job.js';
export { DeadLettersPayload, DeleteDeadLetters, ReplayDeadLetters } from './dead-letters.jobs.js';
export { emailAddressFault } from './email-address.decorator.js';
export { ExportGenerate, ExportGeneratePayload } from './export-generate.job.js';
export type { FlatVariables } from './flat-variables.decorator.js';
export { HttpRequest, HttpRequestPayload, type HttpMethod } from './http-request.job.js';
export { IfGiven } from './if-given.decorator.js';
export { ImportCustomers, ImportCustomersPayload } from './import-customers.job.js';
export { InvoiceRender, InvoiceRenderPayload } from './invoice-render.job.js';
export { ReportGenerate, ReportGeneratePayload } from './report-generate.job.js';
export { contentTypeIn, isJsonType, type RequestHeaders } from './request-headers.decorator.js';
export { SendEmail, SendEmailPayload } from './send-email.job.js';
export { isInStatusList } from './status-list.decorator.js';
export { WebhookDeliver, WebhookDeliverPayload } from './webhook-deliver.job.js';

/** Every job type of this product. Api and worker both read it. */
export const catalog: readonly JobDefinition[] = [
  SendEmail,
  HttpRequest,
  ImportCustomers,
  ReportGenerate,
  ExportGenerate,
  InvoiceRender,
  AnalyticsAppend,
  ReplayDeadLetters,
  DeleteDeadLetters,
  WebhookDeliver,
];
