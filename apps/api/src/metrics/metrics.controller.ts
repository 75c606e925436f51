import { Controller, Get, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { PrometheusController } from '@willsoto/nestjs-prometheus';
import type { Response } from 'express';
import { ForOperators } from '../auth/access.decorator.js';
import { Problems } from '../docs/answers.decorator.js';
import { DepthMetrics } from './depth-metrics.js';

/** This process's metrics and the depth of the queues. The path comes from `PrometheusModule`. */
@Controller()
@ApiTags('operate')
export class MetricsController extends PrometheusController {
  constructor(private readonly depths: DepthMetrics) {
    super();
  }

  @Get()
  @ForOperators()
  @ApiOperation({ operationId: 'getMetrics', summary: 'Metrics for Prometheus' })
  @ApiResponse({ status: 200, description: 'In the text format.', content: { 'text/plain': { schema: { type: 'string' } } } })
  @Problems('unauthorized', 'forbidden')
  override async index(@Res({ passthrough: true }) response: Response): Promise<string> {
    response.setHeader('Cache-Control', 'no-store');
    const [own, depths] = await Promise.all([super.index(response), this.depths.text()]);
    return `${own}\n${depths}`;
  }
}
