import { InvoiceRender } from '@antrean/catalog';
import { JobHandler, PermanentError, type Handles, type JobContext } from '@antrean/jobs';
import { Storage, type StorageName } from '@antrean/platform';
import { Orders, invoiceFile } from '@antrean/shop';
import { MissingCharacters } from '../../documents/missing-characters.js';
import { pdfDocument } from '../../documents/pdf/pdf-document.js';
import type { PdfTable } from '../../documents/pdf/pdf-table.js';
import { inTrouble } from '../../outages/in-trouble.js';
import { invoiceOf } from './invoice.js';

/** The result of a job that succeeded. */
export interface RenderedInvoice {
  readonly file_key: StorageName;
  readonly bytes: number;
}

type Context = JobContext<typeof InvoiceRender>;

/** Writes the invoice of an order. A later run replaces it by its like. */
@JobHandler(InvoiceRender)
export class InvoiceRenderHandler implements Handles<typeof InvoiceRender> {
  constructor(
    private readonly storage: Storage,
    private readonly orders: Orders,
  ) {}

  handle(context: Context): Promise<RenderedInvoice> {
    return this.render(context).catch(inTrouble(context));
  }

  private async render({ payload, signal, log }: Context): Promise<RenderedInvoice> {
    const invoice = await this.read(payload.order_id);
    const file = invoiceFile(payload.order_id);
    const missing = new MissingCharacters();
    const { size } = await this.storage.write(file, pdfDocument(invoice, missing), { signal });
    missing.tell(log);
    return { file_key: file, bytes: size };
  }

  private async read(orderId: string): Promise<PdfTable> {
    const order = await this.orders.get(orderId);
    if (order === undefined) throw new PermanentError(`There is no order "${orderId}".`, { code: 'unknown_order' });
    return invoiceOf(order);
  }
}
