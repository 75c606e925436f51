import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiHeader, ApiOperation, ApiParam, ApiResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { Problems } from '../docs/answers.decorator.js';
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
        'answered with the job that there is (`deduplicated`), as long as that waits, runs or is kept as succeeded.',
    }),
    ApiBody({
      required: true,
      schema: { $ref: `#/components/schemas/${definition.type}` },
      examples: { example: { value: EXAMPLES[path] } },
    }),
    DescribesSubmitAnswers(),
  );

const TEXT = { type: 'string' } as const;

export const DescribesDocument = ({ path, noun, definition }: DocumentKind) =>
  applyDecorators(
    ApiTags('documents'),
    ApiOperation({
      operationId: `get${nameOf(noun)}`,
      summary: `Read ${a(noun)}`,
      description:
        'With HEAD likewise, without the body. Where the storage signs addresses (S3), the answer to GET is 303 to one that is valid for ' +
        'five minutes, and all about ranges and entity tags is for the storage to say; HEAD has the head of the file itself.',
    }),
    ApiParam({ name: 'id', schema: TEXT, example: `${definition.type}_01JDVZ8XQ4T4Y8Q7M5K3N2P1R0` }),
    requestHeader('Range', 'One range of bytes, such as `bytes=1000-`; several are answered with the whole file.'),
    requestHeader('If-Range', 'The ETag of what the client has a part of: when the file is another by now, all of it is sent.'),
    requestHeader('If-None-Match', 'The ETag of what the client has.'),
    ApiExtraModels(JobView),
    ApiResponse({ status: 200, description: 'The file.', headers: FILE_HEADERS, content: fileContent(path) }),
    ApiResponse({
      status: 202,
      description: 'Not there yet: its job.',
      headers: { 'Retry-After': { schema: TEXT } },
      content: { 'application/json': { schema: { $ref: getSchemaPath(JobView) } } },
    }),
    ApiResponse({
      status: 206,
      description: 'The part of it that was asked for.',
      headers: { ...FILE_HEADERS, 'Content-Range': { schema: TEXT } },
      content: fileContent(path),
    }),
    ApiResponse({ status: 303, description: 'It is there.', headers: { Location: { description: 'Where.', schema: TEXT } } }),
    ApiResponse({ status: 304, description: 'The client has it.', headers: { ETag: { schema: TEXT } } }),
    Problems(
      'invalid_request',
      'unauthorized',
      'forbidden',
      'job_not_found',
      'file_not_made',
      'file_gone',
      'precondition_failed',
      'range_not_satisfiable',
      'queue_unavailable',
      'storage_unavailable',
    ),
  );

const FILE_HEADERS = {
  ETag: { description: 'Another one whenever the file is made anew.', schema: TEXT },
  'Content-Disposition': { description: 'A name to save it under.', schema: TEXT },
};

const requestHeader = (name: string, description: string) => ApiHeader({ name, required: false, description, schema: TEXT });

function fileContent(path: Path) {
  return Object.fromEntries(MEDIA_TYPES[path].map((mediaType) => [mediaType, { schema: schemaOf(mediaType) }]));
}

function schemaOf(mediaType: string) {
  if (mediaType === 'application/json') return { type: 'array', items: { type: 'object' } };
  return mediaType.startsWith('text/') ? TEXT : { type: 'string', format: 'binary' };
}

function nameOf(noun: string): string {
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
}

function a(noun: string): string {
  return `${noun.startsWith('e') ? 'an' : 'a'} ${noun}`;
}
