import PDFDocument from 'pdfkit';
import type { MissingCharacters } from '../missing-characters.js';
import { FontBook } from './font-book.js';
import type { PdfTable } from './pdf-table.js';
import { TablePages } from './table-pages.js';
import { WrittenBytes } from './written-bytes.js';

/**
 * A table as a PDF on A4: title, subtitle, the head of the table on every page, totals at the end, and `Page n of m` in the foot.
 * Rows are asked for as the bytes are taken, and a page is let go of when the next begins. A cell of more than 2,000 characters,
 * or higher than a page, is cut short.
 * What no font has (see {@link FontBook}) is a box, and is added to `missing`. Text in Arabic and Hebrew stands in the order in which it is read.
 */
export async function* pdfDocument(table: PdfTable, missing?: MissingCharacters): AsyncGenerator<Buffer, void, undefined> {
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
  const bytes = new WrittenBytes();
  // It does not wait for its reader, and would keep each piece as it is: at its end there are several for each page.
  doc.push = (piece: Uint8Array | null) => {
    if (piece !== null) bytes.add(piece);
    return true;
  };
  bytes.add(doc.read() as Buffer); // Its first line, which it has written already.
  const pages = await TablePages.begin(doc, await FontBook.open((codePoint) => missing?.add(codePoint)), table);
  for await (const row of table.rows) {
    await pages.add(row);
    yield* bytes.take();
  }
  await pages.end();
  doc.end();
  yield* bytes.take();
}
