import PDFDocument from 'pdfkit';
import { FontBook } from './font-book.js';
import type { PdfTable } from './pdf-table.js';
import { TablePages } from './table-pages.js';

/**
 * A table as a PDF on A4: title, subtitle, the head of the table on every page, totals at the end, and `Page n of m` in the foot.
 * Rows are asked for as the bytes are taken, and a page is let go of when the next begins. A cell of more than 2,000 characters,
 * or higher than a page, is cut short.
 * What no font has (see {@link FontBook}) is a box. Text in Arabic and Hebrew stands in the order in which it is read.
 */
export async function* pdfDocument(table: PdfTable): AsyncGenerator<Buffer, void, undefined> {
  const doc = new PDFDocument({
    size: 'A4',
    layout: table.layout,
    margin: 0,
    autoFirstPage: false,
    // Its own fonts have no more than Latin in them; empty, it begins without one.
    font: '',
    // It keeps every word that it has seen.
    fontLayoutCache: false,
    lang: table.lang,
    displayTitle: true,
    info: { Title: table.title, Creator: 'Antrean', CreationDate: table.createdAt },
  });
  const pages = await TablePages.begin(doc, await FontBook.open(), table);
  for await (const row of table.rows) {
    await pages.add(row);
    yield* written(doc);
  }
  await pages.end();
  doc.end();
  yield* written(doc);
}

/** What the document has written since it was last asked: it does not wait for its reader. */
function* written(doc: PDFKit.PDFDocument): Generator<Buffer, void, undefined> {
  for (let chunk = doc.read() as Buffer | null; chunk !== null; chunk = doc.read() as Buffer | null) yield chunk;
}
