import { Get, HttpCode, Param, Post, Req, UseInterceptors } from '@nestjs/common';
import type { Request } from 'express';
import { NeedsScope } from '../auth/access.decorator.js';
import { JsonResource } from '../http/json-resource.decorator.js';
import { Links } from '../http/links.js';
import { Context, type RequestContext } from '../http/request-context.js';
import { JobAnswers } from '../jobs/job-answers.js';
import type { JobView } from '../jobs/job.view.js';
import { Submitting, type SubmitRequest } from '../jobs/submit-request.js';
import type { SubmittedJobView } from '../jobs/submitted-job.view.js';
import { ImportReader } from './import-reader.js';
import { ImportBodyInterceptor, namesItsFile } from './import-body.interceptor.js';
import { importView, type ImportView } from './import.view.js';
import { DescribesImport, DescribesSubmitImport } from './imports.openapi.js';
import { NamedImports } from './named-imports.js';
import { UploadedImports } from './uploaded-imports.js';

/** Takes files with customers, and tells what became of them. */
@JsonResource('imports')
export class ImportsController {
  constructor(
    private readonly uploaded: UploadedImports,
    private readonly named: NamedImports,
    private readonly answers: JobAnswers,
    private readonly reader: ImportReader,
    private readonly links: Links,
  ) {}

  @Post()
  @HttpCode(202)
  @NeedsScope('submit')
  @UseInterceptors(ImportBodyInterceptor)
  @DescribesSubmitImport()
  async submit(@Req() http: Request, @Submitting() request: SubmitRequest): Promise<SubmittedJobView | JobView> {
    // The interceptor has read it where it is JSON.
    const job = namesItsFile(http.headers)
      ? await this.named.submit(http.body as object, request)
      : await this.uploaded.submit(http, request);
    return this.answers.answer(job, request);
  }

  @Get(':id')
  @NeedsScope('read')
  @DescribesImport()
  async get(@Param('id') jobId: string, @Context() context: RequestContext): Promise<ImportView> {
    const { job, state } = await this.reader.read(jobId);
    context.jobId = jobId;
    return importView(job, state, this.links);
  }
}
