import { Controller, Get, Header, HttpStatus, Res } from '@nestjs/common';
import { HealthCheck, type HealthCheckResult } from '@nestjs/terminus';
import { HealthDetails } from '@antrean/health';
import { WorkerHealth } from '@antrean/jobs';
import { DatabaseLife } from '@antrean/shop';
import type { Response } from 'express';
import { ProblemException } from '../http/problem.exception.js';

/** How this worker is, for supervisors (live, ready) and for people (details). */
@Controller('health')
export class HealthController {
  constructor(
    private readonly worker: WorkerHealth,
    private readonly database: DatabaseLife,
    private readonly health: HealthDetails,
  ) {}

  /** 503 means: start this process anew. An outage of Redis is no reason for that. */
  @Get('live')
  @Header('Cache-Control', 'no-store')
  live(): { readonly status: 'ok' } {
    if (this.worker.live()) return { status: 'ok' };
    throw new ProblemException(
      503,
      'not_live',
      'This worker can run no jobs any more, or none of a kind: start the process anew.',
    );
  }

  /** 503 means: this worker takes no jobs at the moment. */
  @Get('ready')
  @Header('Cache-Control', 'no-store')
  ready(): { readonly status: 'ok' } {
    if (this.worker.ready()) return { status: 'ok' };
    throw new ProblemException(
      503,
      'not_ready',
      `This worker takes no jobs: ${this.worker.heldBy ?? this.database.heldBy ?? 'it is starting, waits for Redis, or is closing down.'}`,
    );
  }

  /** Terminus' own form, the same with 200 and 503. */
  @Get()
  @HealthCheck({ noCache: true, swaggerDocumentation: false })
  async details(@Res({ passthrough: true }) response: Response): Promise<HealthCheckResult> {
    const { works, result } = await this.health.look();
    if (!works) response.status(HttpStatus.SERVICE_UNAVAILABLE);
    return result;
  }
}
