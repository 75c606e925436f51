import { ExportGenerate, type ExportGeneratePayload } from '@antrean/catalog';
import { JobHandler, type Handles, type JobContext } from '@antrean/jobs';
import { Customers, type Customer } from '@antrean/shop';
import type { MissingCharacters } from '../../documents/missing-characters.js';
import { jsonDocument } from '../../documents/json-document.js';
import { customerJson, customerTable } from '../../reports/customer-table.js';
import { DocumentFiles, type WrittenDocument } from '../../reports/document-files.js';
import { csvOf, pdfOf } from '../../reports/report-document.js';

/** Streams all customers from the database into a file. */
@JobHandler(ExportGenerate)
export class ExportGenerateHandler implements Handles<typeof ExportGenerate> {
  constructor(
    private readonly files: DocumentFiles,
    private readonly customers: Customers,
  ) {}

  handle(context: JobContext<typeof ExportGenerate>): Promise<WrittenDocument> {
    const { format } = context.payload;
    return this.files.write(context, {
      name: 'customers',
      format,
      rows: this.customers.stream(),
      period: {},
      bytesOf: (rows, missing) => bytesOf(format, rows, missing),
    });
  }
}

function bytesOf(
  format: ExportGeneratePayload['format'],
  rows: AsyncIterable<Customer>,
  missing: MissingCharacters,
): AsyncIterable<Buffer> {
  switch (format) {
    case 'csv':
      return csvOf(customerTable, rows, { hasByteOrderMark: false });
    case 'json':
      return jsonDocument(jsonOf(rows));
    case 'pdf':
      return pdfOf(customerTable, rows, 'All customers', missing);
  }
}

async function* jsonOf(rows: AsyncIterable<Customer>): AsyncGenerator<object> {
  for await (const row of rows) yield customerJson(row);
}
