import { Get, Query } from '@nestjs/common';
import { InvalidOptionsError, ListService } from '@antrean/jobs';
import { ApiOperation, ApiProperty, ApiQuery, ApiTags } from '@nestjs/swagger';
import { NeedsScope } from '../auth/access.decorator.js';
import { AnswersWith, Problems } from '../docs/answers.decorator.js';
import { JsonResource } from '../http/json-resource.decorator.js';
import { TakesQuery } from '../http/known-query.interceptor.js';
import { Links } from '../http/links.js';
import { ProblemError } from '../http/problem-error.js';
import { Context, type RequestContext } from '../http/request-context.js';
import { NullableText } from '../http/view-fields.js';
import { jobView, JobView } from './job.view.js';
import { LIST_PARAMETERS, parseListQuery } from './list-jobs.query.js';

export class JobListView {
  @ApiProperty({ type: [JobView] })
  readonly data!: readonly JobView[];

  @NullableText({ description: 'Send it as cursor to get the next page; null after the last.' })
  readonly next_cursor!: string | null;
}

/** Lists jobs by their status: dead letters, retries, what is to come. */
@JsonResource('jobs')
@ApiTags('jobs')
export class JobListController {
  constructor(
    private readonly jobs: ListService,
    private readonly links: Links,
  ) {}

  @Get()
  @NeedsScope('read')
  @TakesQuery(Object.keys(LIST_PARAMETERS))
  @ApiOperation({ operationId: 'listJobs', summary: 'List jobs by status', description: 'Dead letters are `status=failed`.' })
  @DescribesParameters()
  @AnswersWith(200, JobListView, 'One page.')
  @Problems('invalid_request', 'unauthorized', 'forbidden', 'not_acceptable', 'queue_unavailable')
  async list(@Query() query: Readonly<Record<string, string>>, @Context() context: RequestContext): Promise<JobListView> {
    const { filter, limit, cursor } = parseListQuery(query);
    try {
      const page = await this.jobs.page(filter, { limit, cursor, reveal: context.mayManage });
      return { data: page.jobs.map((job) => jobView(job, this.links)), next_cursor: page.next ?? null };
    } catch (error) {
      if (!(error instanceof InvalidOptionsError)) throw error;
      const errors = error.violations.map(({ detail }) => ({ parameter: 'cursor', detail: `cursor ${detail}` }));
      throw new ProblemError('invalid_request', error.message, { errors, cause: error });
    }
  }
}

function DescribesParameters(): MethodDecorator {
  return (target, key, descriptor) => {
    for (const [name, about] of Object.entries(LIST_PARAMETERS)) {
      ApiQuery({ required: false, name, ...about })(target, key, descriptor);
    }
  };
}
