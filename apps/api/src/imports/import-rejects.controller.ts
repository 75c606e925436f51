import { Readable } from 'node:stream';
import { Controller, Get, Param, Res, UseInterceptors } from '@nestjs/common';
import { attachment, csvDocument } from '@antrean/platform';
import type { ImportReject } from '@antrean/shop';
import type { Response } from 'express';
import { NeedsScope } from '../auth/access.decorator.js';
import { KnownQueryInterceptor } from '../http/known-query.interceptor.js';
import { Context, type RequestContext } from '../http/request-context.js';
import { sendStream } from '../http/send-stream.js';
import { ImportReader } from './import-reader.js';
import { DescribesImportRejects } from './imports.openapi.js';

/** Hands out, as CSV, what an import could not take. */
@Controller('imports')
@UseInterceptors(KnownQueryInterceptor)
export class ImportRejectsController {
  constructor(private readonly reader: ImportReader) {}

  @Get(':id/rejects')
  @NeedsScope('read')
  @DescribesImportRejects()
  async rejects(@Param('id') jobId: string, @Context() context: RequestContext, @Res() response: Response): Promise<void> {
    await this.reader.read(jobId);
    context.jobId = jobId;
    response.set({ 'Content-Type': 'text/csv; charset=utf-8', 'Content-Disposition': attachment(`${jobId}-rejects.csv`) });
    if (response.req.method === 'HEAD') {
      response.end();
      return;
    }
    const rows = cellsOf(this.reader.rejects(jobId));
    const csv = csvDocument({ heads: ['line', 'column', 'reason', 'row'], rows, hasByteOrderMark: false });
    await sendStream(Readable.from(csv), response);
  }
}

async function* cellsOf(rejects: AsyncIterable<ImportReject>) {
  for await (const { line, column, reason, row } of rejects) yield [line, column, reason, row];
}
