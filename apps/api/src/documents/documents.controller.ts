import { Body, Controller, Get, Param, Req, Res, UseInterceptors, type Type } from '@nestjs/common';
import type { Request, Response } from 'express';
import { NeedsScope } from '../auth/access.decorator.js';
import { AcceptsJsonInterceptor } from '../http/accepts-json.interceptor.js';
import { KnownQueryInterceptor } from '../http/known-query.interceptor.js';
import { JobAnswers } from '../jobs/job-answers.js';
import { JobSubmitter } from '../jobs/job-submitter.js';
import type { JobView } from '../jobs/job.view.js';
import { Submits } from '../jobs/jobs.routes.js';
import { ownerOption } from '../jobs/owner-option.js';
import { Submitting, type SubmitRequest } from '../jobs/submit-request.js';
import type { SubmittedJobView } from '../jobs/submitted-job.view.js';
import { DocumentAnswers } from './document-answers.js';
import { EXPORTS, REPORTS, type DocumentKind } from './document-kind.js';
import { DescribesDocument, DescribesSubmitDocument } from './documents.openapi.js';
import { RemovedDocuments } from './removed-documents.js';

export const ReportsController = documentsController(REPORTS);
export const ExportsController = documentsController(EXPORTS);

/** Takes the payload of a kind of document as it is, and hands out the file that becomes of it. */
function documentsController(kind: DocumentKind): Type<object> {
  @Controller(kind.path)
  @UseInterceptors(KnownQueryInterceptor)
  class DocumentsController {
    constructor(
      private readonly submitter: JobSubmitter,
      private readonly answers: JobAnswers,
      private readonly documents: DocumentAnswers,
      private readonly removed: RemovedDocuments,
    ) {}

    @Submits()
    @UseInterceptors(AcceptsJsonInterceptor)
    @DescribesSubmitDocument(kind)
    async submit(@Body() payload: object, @Submitting() request: SubmitRequest): Promise<SubmittedJobView | JobView> {
      const { definition } = kind;
      const options = 'user_id' in payload ? ownerOption(payload.user_id) : {};
      const job = await this.submitter.submit({ definition, payload, payloadAt: '', options }, request);
      return this.answers.answer(await this.removed.restored(job), request);
    }

    /** Also takes HEAD. */
    @Get(':id')
    @NeedsScope('read')
    @DescribesDocument(kind)
    async get(@Param('id') jobId: string, @Req() request: Request, @Res() response: Response): Promise<void> {
      await this.documents.send(kind, jobId, request, response);
    }
  }
  return DocumentsController;
}
