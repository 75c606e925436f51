import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { DescribesFile } from '../files/files.openapi.js';
import { DescribesSubmitAnswers } from '../jobs/jobs.openapi.js';
import { JobView } from '../jobs/job.view.js';
import type { DocumentKind } from './document-kind.js';

/** What the OpenAPI document says of the routes of reports and exports. */

type Path = DocumentKind['path'];

const EXAMPLES: Readonly<Record<Path, object>> = {
  reports: { report: 'orders', format: 'csv', from: '2026-01-01T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z', user_id: 'ana' },
  exports: { format: 'json', user_id: 'ana' },
};
const MEDIA_TYPES: Readonly<Record<Path, readonly string[]>> = {
  reports: ['text/csv', 'application/pdf'],
  exports: ['text/csv', 'application/json', 'application/pdf'],
};

export const DescribesSubmitDocument = ({ path, noun, definition }: DocumentKind) =>
  applyDecorators(
    ApiTags('documents'),
    ApiOperation({
      operationId: `submit${nameOf(noun)}`,
      summary: `Have ${a(noun)} made`,
      description:
        `The body is the payload of \`${definition.type}\`, its \`user_id\` also the owner label of the job. The same asked for again is ` +
        'answered with the job that there is (`deduplicated`), as long as that waits, runs or is kept as succeeded; when its file was ' +
        'removed meanwhile, it runs again.',
    }),
    ApiBody({
      required: true,
      schema: { $ref: `#/components/schemas/${definition.type}` },
      examples: { example: { value: EXAMPLES[path] } },
    }),
    DescribesSubmitAnswers(),
  );

export const DescribesDocument = ({ path, noun, definition }: DocumentKind) =>
  DescribesFile({
    tag: 'documents',
    operationId: `get${nameOf(noun)}`,
    summary: `Read ${a(noun)}`,
    id: `${definition.type}_01JDVZ8XQ4T4Y8Q7M5K3N2P1R0`,
    mediaTypes: MEDIA_TYPES[path],
    waiting: { view: JobView, noun: 'job' },
    problems: ['job_not_found', 'queue_unavailable'],
  });

function nameOf(noun: string): string {
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
}

function a(noun: string): string {
  return `${noun.startsWith('e') ? 'an' : 'a'} ${noun}`;
}
