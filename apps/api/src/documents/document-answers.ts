import { Inject, Injectable } from '@nestjs/common';
import { StatusService, type Job } from '@antrean/jobs';
import { StoredFileNotFoundError, type ApiConfig } from '@antrean/platform';
import type { Request, Response } from 'express';
import { fileGone, fileNotMade } from '../files/file-faults.js';
import { jobFile } from '../files/job-file.js';
import { StoredFileAnswers } from '../files/stored-file-answers.js';
import { Links } from '../http/links.js';
import { contextOf } from '../http/request-context.js';
import { jobView } from '../jobs/job.view.js';
import { API_CONFIG } from '../tokens.js';
import { notFound } from './document-faults.js';
import type { DocumentKind } from './document-kind.js';

const SOON_SEC = 2;
/** A client may look earlier than its job is due: it may be moved. */
const LATEST_SEC = 60;

/** Answers for a document by how its job is: with the file once there is one. */
@Injectable()
export class DocumentAnswers {
  constructor(
    private readonly status: StatusService,
    private readonly files: StoredFileAnswers,
    private readonly links: Links,
    @Inject(API_CONFIG) private readonly config: ApiConfig,
  ) {}

  /**
   * Resolves when the answer is sent.
   * @throws {ProblemError} `file_not_made`, `file_gone`, and those of {@link StoredFileAnswers.send}
   * @throws {JobNotFoundError} also for a job of another type.
   */
  async send(kind: DocumentKind, jobId: string, request: Request, response: Response): Promise<void> {
    const context = contextOf(request);
    const job = await this.status.get(jobId, { reveal: context.mayManage });
    if (job?.type !== kind.definition.type) throw notFound(kind, jobId, this.config.retentionMs, this.links);
    context.jobId = jobId;
    switch (job.status) {
      case 'scheduled':
      case 'queued':
      case 'processing':
      case 'retrying':
        response
          .status(202)
          .set({ 'Retry-After': String(secondsUntilLook(job)), 'Cache-Control': 'no-store' })
          .json(jobView(job, this.links));
        return;
      case 'failed':
      case 'cancelled':
      case 'expired':
        throw fileNotMade(kind, { ...job, error: job.error?.message ?? null }, this.links);
      case 'succeeded':
        await this.sendFile(kind, job, request, response);
    }
  }

  private async sendFile(kind: DocumentKind, job: Job, request: Request, response: Response): Promise<void> {
    try {
      await this.files.send(jobFile(job), request, response);
    } catch (error) {
      throw error instanceof StoredFileNotFoundError
        ? fileGone(kind, { jobId: job.jobId, status: job.status }, this.links, error)
        : error;
    }
  }
}

function secondsUntilLook({ status, runAt, nextAttemptAt }: Job): number {
  if (status !== 'scheduled' && status !== 'retrying') return SOON_SEC;
  const due = (nextAttemptAt ?? runAt).getTime() - Date.now();
  return Math.min(Math.max(Math.ceil(due / 1_000), SOON_SEC), LATEST_SEC);
}
