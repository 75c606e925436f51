import { ReportGenerate, type ReportGeneratePayload } from '@antrean/catalog';
import { JobHandler, type Handles, type JobContext } from '@antrean/jobs';
import { Customers, Orders, type Period } from '@antrean/shop';
import { customerTable } from '../../reports/customer-table.js';
import { DocumentFiles, type DocumentPlan, type WrittenDocument } from '../../reports/document-files.js';
import { orderTable } from '../../reports/order-table.js';
import { csvOf, pdfOf } from '../../reports/report-document.js';
import type { ReportTable } from '../../reports/report-table.js';

type Context = JobContext<typeof ReportGenerate>;

/** Streams rows of a period from the database into a file. */
@JobHandler(ReportGenerate)
export class ReportGenerateHandler implements Handles<typeof ReportGenerate> {
  constructor(
    private readonly files: DocumentFiles,
    private readonly customers: Customers,
    private readonly orders: Orders,
  ) {}

  handle(context: Context): Promise<WrittenDocument> {
    const period = periodOf(context.payload);
    switch (context.payload.report) {
      case 'customers':
        return this.write(context, period, customerTable, this.customers.stream(period));
      case 'orders':
        return this.write(context, period, orderTable, this.orders.stream(period));
    }
  }

  private write<Row extends { readonly createdAt: Date }>(
    context: Context,
    period: Period,
    table: ReportTable<Row>,
    rows: AsyncIterable<Row>,
  ): Promise<WrittenDocument> {
    const { report, format } = context.payload;
    const bytesOf: DocumentPlan<Row>['bytesOf'] = (counted, missing) =>
      format === 'csv'
        ? csvOf(table, counted, { hasByteOrderMark: true })
        : pdfOf(table, counted, inWords(context.payload), missing);
    return this.files.write(context, { name: report, format, rows, period, bytesOf });
  }
}

function periodOf({ from, to }: ReportGeneratePayload): Period {
  return { ...(from !== undefined && { from: new Date(from) }), ...(to !== undefined && { to: new Date(to) }) };
}

function inWords({ from, to }: ReportGeneratePayload): string {
  const start = from === undefined ? 'From the beginning' : `From ${from}`;
  return to === undefined ? start : `${start} until before ${to}`;
}
