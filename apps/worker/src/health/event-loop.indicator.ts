import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';

const RESOLUTION_MS = 20;
/** Beyond it, signals and time-outs of handlers come noticeably late. Leases are safe: another thread keeps them. */
const DEGRADED_MS = 500;
const NS_PER_MS = 1e6;

/** How long callbacks had to wait for the event loop since the last look: a handler that computes without a pause shows here. */
@Injectable()
export class EventLoopIndicator implements OnModuleInit, OnApplicationShutdown {
  private readonly delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor(private readonly indicators: HealthIndicatorService) {}

  onModuleInit(): void {
    this.delays.enable();
  }

  onApplicationShutdown(): void {
    this.delays.disable();
  }

  check(): HealthIndicatorResult<'event_loop'> {
    const data = { p99_ms: this.inMs(this.delays.percentile(99)), max_ms: this.inMs(this.delays.max) };
    this.delays.reset();
    const session = this.indicators.check('event_loop');
    return data.max_ms > DEGRADED_MS ? session.degraded(data) : session.up(data);
  }

  /** The samples count their own interval in. */
  private inMs(ns: number): number {
    return Math.max(0, Math.round(ns / NS_PER_MS) - RESOLUTION_MS);
  }
}
