import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Handles } from './job-context.js';
import type { JobDefinition } from './job-definition.js';

/** The metadata by which the worker finds its handlers among the application's providers. */
export const HandlerOf = DiscoveryService.createDecorator<JobDefinition>();

/**
 * Marks a provider as the handler of one job type. The class must be `Handles` of the same definition, else it does not
 * compile, and a singleton, else the worker does not start.
 */
export function JobHandler<D extends JobDefinition>(definition: D) {
  return (target: new (...args: never[]) => Handles<D>): void => {
    Injectable()(target);
    HandlerOf(definition)(target);
  };
}
