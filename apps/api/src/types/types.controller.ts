import { Get, UseInterceptors } from '@nestjs/common';
import { JobCatalog } from '@antrean/jobs';
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { NeedsScope } from '../auth/access.decorator.js';
import { EtagInterceptor } from '../http/etag.interceptor.js';
import { JsonResource } from '../http/json-resource.decorator.js';
import { AnswersWith, Problems } from '../docs/answers.decorator.js';
import { TypeView, typeView } from './type.view.js';

export class TypeListView {
  @ApiProperty({ type: [TypeView] })
  readonly data!: readonly TypeView[];

  @ApiProperty({ type: 'null', description: 'The list is never longer than one page.' })
  readonly next_cursor!: null;
}

/** Shows the job types, so that a client can check a payload before it sends it. */
@JsonResource('types')
@ApiTags('types')
export class TypesController {
  private readonly list: TypeListView;

  constructor(catalog: JobCatalog) {
    this.list = { data: catalog.open.map(typeView), next_cursor: null };
  }

  @Get()
  @NeedsScope('read')
  @UseInterceptors(EtagInterceptor)
  @ApiOperation({ operationId: 'listTypes', summary: 'Every job type: JSON schema of its payload, version and policy' })
  @AnswersWith(200, TypeListView, 'All types.', { etag: true })
  @Problems('unauthorized', 'forbidden', 'invalid_request', 'not_acceptable')
  all(): TypeListView {
    return this.list;
  }
}
