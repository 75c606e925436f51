import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ImportCustomers } from '@antrean/catalog';
import { QueueUnavailableError, type EnqueuedJob } from '@antrean/jobs';
import type { Request } from 'express';
import { JobSubmitter } from '../jobs/job-submitter.js';
import { ownerOption } from '../jobs/owner-option.js';
import type { SubmitRequest } from '../jobs/submit-request.js';
import { parseImportForm } from './import-form.js';
import { UploadForms, type UploadForm } from './upload-forms.js';

/** Submits the import of a file that the request brings, and deletes the file where it is not this submit's job that will read it. */
@Injectable()
export class UploadedImports {
  constructor(
    private readonly submitter: JobSubmitter,
    private readonly forms: UploadForms,
  ) {}

  /** @throws what {@link UploadForms.receive} throws. */
  async submit(http: Request, request: SubmitRequest): Promise<EnqueuedJob> {
    const form = await this.forms.receive(http, request.response);
    const { upload } = form;
    try {
      const job = await this.enqueue(form, request);
      if (job.jobId !== upload.jobId) await this.forms.discard(upload);
      return job;
    } catch (error) {
      if (!mayBeAccepted(error)) await this.forms.discard(upload);
      throw error;
    }
  }

  private async enqueue({ fields, upload }: UploadForm, request: SubmitRequest): Promise<EnqueuedJob> {
    const { user_id, charset } = parseImportForm(fields);
    const payload = { file_key: upload.name, user_id, ...(charset !== undefined && { charset }) };
    const onceContent = createHash('sha256')
      .update(JSON.stringify([upload.sha256, user_id, charset ?? null]))
      .digest('hex');
    const options = { jobId: upload.jobId, ...ownerOption(user_id), ...(request.onceKey !== undefined && { onceContent }) };
    return this.submitter.submit({ definition: ImportCustomers, payload, payloadAt: '', options }, request);
  }
}

/** Then its file has to stay. */
function mayBeAccepted(error: unknown): boolean {
  return error instanceof QueueUnavailableError && error.outcome !== 'not_written';
}
