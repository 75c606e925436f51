import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface ReadPdf {
  /** The text of each page. */
  readonly pages: readonly string[];
  readonly info: Readonly<Record<string, unknown>>;
}

// PDF.js is an ES module that loads more of them, which Jest cannot: hence a thread.
const THREAD = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', async (bytes) => {
    const { extractText, getDocumentProxy, getMeta } = await import('unpdf');
    const document = await getDocumentProxy(bytes);
    const { text } = await extractText(document);
    const { info } = await getMeta(document);
    await document.destroy();
    parentPort.postMessage({ pages: text, info });
  });
`;

/** Reads PDF documents by PDF.js, one at a time. */
export class PdfReader {
  private readonly thread = new Worker(THREAD, { eval: true });

  async read(bytes: Uint8Array): Promise<ReadPdf> {
    this.thread.postMessage(bytes);
    const [read] = (await once(this.thread, 'message')) as [ReadPdf]; // As the thread sends it.
    return read;
  }

  async close(): Promise<void> {
    await this.thread.terminate();
  }
}
