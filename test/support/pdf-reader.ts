import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface ReadPdf {
  /** The text of each page. */
  readonly pages: readonly string[];
  readonly info: Readonly<Record<string, unknown>>;
}

/** What stands at the end of a document, and how many pages it has. */
export interface LastPage {
  readonly pages: number;
  readonly text: string;
}

// PDF.js is an ES module that loads more of them, which Jest cannot: hence a thread.
const THREAD = `
  const { parentPort } = require('node:worker_threads');
  const readAll = async (document, { extractText, getMeta }) => {
    const { text } = await extractText(document);
    const { info } = await getMeta(document);
    return { pages: text, info };
  };
  const readLast = async (document) => {
    const page = await document.getPage(document.numPages);
    const { items } = await page.getTextContent();
    return { pages: document.numPages, text: items.map(({ str }) => str).join(' ') };
  };
  parentPort.on('message', async ({ bytes, isLastOnly }) => {
    const unpdf = await import('unpdf');
    const document = await unpdf.getDocumentProxy(bytes);
    const read = await (isLastOnly ? readLast : readAll)(document, unpdf);
    await document.destroy();
    parentPort.postMessage(read);
  });
`;

/** Reads PDF documents by PDF.js, one at a time. */
export class PdfReader {
  private readonly thread = new Worker(THREAD, { eval: true });

  read(bytes: Uint8Array): Promise<ReadPdf> {
    return this.ask<ReadPdf>({ bytes, isLastOnly: false });
  }

  /** For a document of very many pages. */
  lastPage(bytes: Uint8Array): Promise<LastPage> {
    return this.ask<LastPage>({ bytes, isLastOnly: true });
  }

  async close(): Promise<void> {
    await this.thread.terminate();
  }

  private async ask<T>(order: { readonly bytes: Uint8Array; readonly isLastOnly: boolean }): Promise<T> {
    this.thread.postMessage(order);
    const [answer] = (await once(this.thread, 'message')) as [T]; // As the thread sends it.
    return answer;
  }
}
