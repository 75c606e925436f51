import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { AnswersWith, Problems } from '../docs/answers.decorator.js';
import type { ProblemCode } from '../http/problem-codes.js';
import { DescribesSubmitAnswers } from '../jobs/jobs.openapi.js';
import { ImportView } from './import.view.js';

/** What the OpenAPI document says of the routes of imports. */

const FORM = {
  type: 'object' as const,
  required: ['file', 'user_id'],
  additionalProperties: false,
  properties: {
    file: { type: 'string' as const, format: 'binary', description: 'At most `MAX_UPLOAD_BYTES`, with a file name.' },
    user_id: { type: 'string' as const, minLength: 1, maxLength: 128, description: 'The owner of the import.' },
    charset: {
      type: 'string' as const,
      maxLength: 40,
      description: 'By a label of the WHATWG Encoding Standard, such as windows-1252. Found out when it is left out.',
    },
  },
};

export const DescribesSubmitImport = () =>
  applyDecorators(
    ApiTags('imports'),
    ApiOperation({
      operationId: 'importCustomers',
      summary: 'Import customers from a CSV file',
      description:
        'The file has a header, one of whose columns is the e-mail address, and a job of the type `import.customers` reads it. A form ' +
        'brings it: it is stored as it arrives, and removed with the job. Or JSON names it: it was put into the storage by other means ' +
        'and stays there; keep it until the import has ended. Of an `Idempotency-Key`, a repeat has a file of the same bytes, or the ' +
        'same name, and the same fields.',
      requestBody: {
        required: true,
        content: {
          'multipart/form-data': { schema: FORM },
          'application/json': {
            schema: { $ref: '#/components/schemas/NamedImportBody' },
            examples: { named: { value: { file_key: 'uploads/2025-11/customers.csv', user_id: 'ana' } } },
          },
        },
      },
    }),
    DescribesSubmitAnswers('file_not_found', 'storage_unavailable'),
  );

const ReadsOfImport = (...others: readonly ProblemCode[]) =>
  applyDecorators(
    ApiTags('imports'),
    ApiParam({ name: 'id', schema: { type: 'string' }, example: 'import.customers_01JDVZ8XQ4T4Y8Q7M5K3N2P1R0' }),
    Problems(
      'invalid_request',
      'unauthorized',
      'forbidden',
      'job_not_found',
      ...others,
      'queue_unavailable',
      'database_unavailable',
    ),
  );

export const DescribesImport = () =>
  applyDecorators(
    ApiOperation({ operationId: 'getImport', summary: 'Read how far an import is' }),
    AnswersWith(200, ImportView, 'The import as it is now.'),
    ReadsOfImport('not_acceptable'),
  );

export const DescribesImportRejects = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'getImportRejects',
      summary: 'Read the rows that an import has rejected',
      description:
        'CSV with the columns `line` (of the file, from 1), `column` (empty where it is the whole row), `reason` and `row`. A single ' +
        'quote stands before what a spreadsheet would take for a formula. While the import runs: those so far.',
    }),
    ApiResponse({ status: 200, description: 'The rows.', content: { 'text/csv': { schema: { type: 'string' } } } }),
    ReadsOfImport(),
  );
