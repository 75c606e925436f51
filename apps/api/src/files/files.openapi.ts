import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiOperation, ApiParam, ApiResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { Problems } from '../docs/answers.decorator.js';
import type { ProblemCode } from '../http/problem-codes.js';

/** What the OpenAPI document says of routes that hand out a file. */

interface FileRoute {
  readonly tag: string;
  readonly operationId: string;
  readonly summary: string;
  /** What is to be said of it before what holds of all files. */
  readonly description?: string;
  /** An id, as it stands in the path. */
  readonly id: string;
  readonly mediaTypes: readonly string[];
  /** What is answered until there is a file, and what that is. */
  readonly waiting: { readonly view: Type<object>; readonly noun: string };
  readonly problems: readonly ProblemCode[];
}

const TEXT = { type: 'string' } as const;

export const DescribesFile = ({ tag, operationId, summary, description = '', id, mediaTypes, waiting, problems }: FileRoute) =>
  applyDecorators(
    ApiTags(tag),
    ApiOperation({ operationId, summary, description: `${description}${OF_ALL_FILES}` }),
    ApiParam({ name: 'id', schema: TEXT, example: id }),
    requestHeader('Range', 'One range of bytes, such as `bytes=1000-`; several are answered with the whole file.'),
    requestHeader('If-Range', 'The ETag of what the client has a part of: when the file is another by now, all of it is sent.'),
    requestHeader('If-None-Match', 'The ETag of what the client has.'),
    ApiExtraModels(waiting.view),
    ApiResponse({ status: 200, description: 'The file.', headers: FILE_HEADERS, content: contentOf(mediaTypes) }),
    ApiResponse({
      status: 202,
      description: `Not there yet: its ${waiting.noun}.`,
      headers: { 'Retry-After': { schema: TEXT } },
      content: { 'application/json': { schema: { $ref: getSchemaPath(waiting.view) } } },
    }),
    ApiResponse({
      status: 206,
      description: 'The part of it that was asked for.',
      headers: { ...FILE_HEADERS, 'Content-Range': { schema: TEXT } },
      content: contentOf(mediaTypes),
    }),
    ApiResponse({ status: 303, description: 'It is there.', headers: { Location: { description: 'Where.', schema: TEXT } } }),
    ApiResponse({ status: 304, description: 'The client has it.', headers: { ETag: { schema: TEXT } } }),
    Problems(
      'invalid_request',
      'unauthorized',
      'forbidden',
      ...problems,
      'file_not_made',
      'file_gone',
      'precondition_failed',
      'range_not_satisfiable',
      'storage_unavailable',
    ),
  );

const OF_ALL_FILES =
  'With HEAD likewise, without the body. Where the storage signs addresses (S3), the answer to GET is 303 to one that is valid for ' +
  'five minutes, and all about ranges and entity tags is for the storage to say; HEAD has the head of the file itself.';

const FILE_HEADERS = {
  ETag: { description: 'Another one whenever the file is made anew.', schema: TEXT },
  'Content-Disposition': { description: 'A name to save it under.', schema: TEXT },
};

const requestHeader = (name: string, description: string) => ApiHeader({ name, required: false, description, schema: TEXT });

function contentOf(mediaTypes: readonly string[]) {
  return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema: schemaOf(mediaType) }]));
}

function schemaOf(mediaType: string) {
  if (mediaType === 'application/json') return { type: 'array', items: { type: 'object' } };
  return mediaType.startsWith('text/') ? TEXT : { type: 'string', format: 'binary' };
}
