import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Controller, Get, Param, Res, UseInterceptors } from '@nestjs/common';
import { attachment, csvDocument } from '@antrean/platform';
import type { ImportReject } from '@antrean/shop';
import type { Response } from 'express';
import { NeedsScope } from '../auth/access.decorator.js';
import { RequestAbortedError } from '../http/json-body/request-bytes.js';
import { KnownQueryInterceptor } from '../http/known-query.interceptor.js';
import { Context, type RequestContext } from '../http/request-context.js';
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
    const rows = cellsOf(this.reader.rejects(jobId));
    const csv = csvDocument({ heads: ['line', 'column', 'reason', 'row'], rows, hasByteOrderMark: false });
    await pipeline(Readable.from(csv), response).catch((cause: unknown) => {
      throw isPrematureClose(cause) ? new RequestAbortedError({ cause }) : cause;
    });
  }
}

async function* cellsOf(rejects: AsyncIterable<ImportReject>) {
  for await (const { line, column, reason, row } of rejects) yield [line, column, reason, row];
}

function isPrematureClose(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
