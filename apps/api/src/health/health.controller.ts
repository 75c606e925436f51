import { Controller, Get, Header, HttpStatus, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { HealthCheck, type HealthCheckResult } from '@nestjs/terminus';
import { HealthDetails } from '@antrean/health';
import { QueueHealth } from '@antrean/jobs';
import { DatabaseLife } from '@antrean/shop';
import type { Response } from 'express';
import { ForOperators, Open } from '../auth/access.decorator.js';
import { AnswersWith, Problems } from '../docs/answers.decorator.js';
import { ProblemError } from '../http/problem-error.js';
import { AliveView, HealthView } from './health.view.js';
import { Readiness } from './readiness.js';

/** Tells machines whether to restart this process or to send it requests, and people what is wrong. */
@Controller('health')
@ApiTags('operate')
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly queue: QueueHealth,
    private readonly database: DatabaseLife,
    private readonly health: HealthDetails,
  ) {}

  @Get('live')
  @Open()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ operationId: 'isLive', summary: 'Does the process run? When not, start it anew' })
  @AnswersWith(200, AliveView, 'It does.')
  live(): AliveView {
    return { status: 'ok' };
  }

  /**
   * An outage of Redis or of the database is no reason to take the process out of service: nobody else could do better. One that this
   * process must not work on is, and one that never had the replica that submits are to wait for.
   */
  @Get('ready')
  @Open()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ operationId: 'isReady', summary: 'Does the process want requests? It is started and not closing' })
  @AnswersWith(200, AliveView, 'It does.')
  @Problems('not_ready')
  async ready(): Promise<AliveView> {
    const refusal = (await this.queue.refusal()) ?? this.database.refusal;
    const { current } = this.readiness;
    if (current === 'ready' && refusal === undefined) return { status: 'ok' };
    throw new ProblemError('not_ready', refusal ?? `The process is ${current}.`, { headers: { 'Retry-After': '1' } });
  }

  /** Terminus' own form, the same with 200 and 503. */
  @Get()
  @ForOperators()
  @HealthCheck({ noCache: true, swaggerDocumentation: false })
  @ApiOperation({ operationId: 'getHealth', summary: 'What this process needs, and whether it works' })
  @AnswersWith(200, HealthView, 'All of it works.')
  @AnswersWith(503, HealthView, 'Something does not work.')
  @Problems('unauthorized', 'forbidden')
  async details(@Res({ passthrough: true }) response: Response): Promise<HealthCheckResult> {
    const { works, result } = await this.health.look();
    if (!works) response.status(HttpStatus.SERVICE_UNAVAILABLE);
    return result;
  }
}
