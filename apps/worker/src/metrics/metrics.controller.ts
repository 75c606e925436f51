import { Controller, Get, Header, Res, UseGuards } from '@nestjs/common';
import { PrometheusController } from '@willsoto/nestjs-prometheus';
import type { Response } from 'express';
import { ReadScopeGuard } from './read-scope.guard.js';

/** The process's metrics for Prometheus. Its path comes from `PrometheusModule`. */
@Controller()
@UseGuards(ReadScopeGuard)
export class MetricsController extends PrometheusController {
  @Get()
  @Header('Cache-Control', 'no-store')
  override index(@Res({ passthrough: true }) response: Response): Promise<string> {
    return super.index(response);
  }
}
