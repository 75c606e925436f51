import { Injectable } from '@nestjs/common';
import { InjectMetric, makeCounterProvider } from '@willsoto/nestjs-prometheus';
import type { Counter } from 'prom-client';

@Injectable()
export class BelongingsMetrics {
  constructor(@InjectMetric('antrean_belongings_swept_total') readonly swept: Counter) {}
}

export const BELONGINGS_METRICS_PROVIDERS = [
  makeCounterProvider({
    name: 'antrean_belongings_swept_total',
    help: 'Jobs that are gone whose files and rows were removed.',
  }),
  BelongingsMetrics,
];
