import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import { PrometheusController } from '@willsoto/nestjs-prometheus';
import type { Response } from 'express';
import { ForOperators } from '../auth/access.decorator.js';
import { DepthMetrics } from './depth-metrics.js';

/** This process's metrics and the depth of the queues. The path comes from `PrometheusModule`. */
@Controller()
export class MetricsController extends PrometheusController {
  constructor(private readonly depths: DepthMetrics) {
    super();
  }

  @Get()
  @ForOperators()
  @ApiExcludeEndpoint()
  override async index(@Res({ passthrough: true }) response: Response): Promise<string> {
    response.setHeader('Cache-Control', 'no-store');
    const [own, depths] = await Promise.all([super.index(response), this.depths.text()]);
    return `${own}\n${depths}`;
  }
}
