import type { INestApplicationContext } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Handles } from '../../../definition/job-context.js';
import type { JobDefinition } from '../../../definition/job-definition.js';
import { HandlerOf } from '../../../definition/job-handler.decorator.js';

/** A handler and the definition that its decorator names. */
export interface FoundHandler {
  readonly definition: JobDefinition;
  readonly handler: Handles<JobDefinition>;
}

/**
 * The one handler of the type among the application's providers.
 * @throws {Error} saying what is wrong when there is none, or more than one, or when it is not a singleton.
 */
export function findHandler(app: INestApplicationContext, type: string): FoundHandler {
  const discovery = app.get(DiscoveryService);
  const all = discovery.getProviders({ metadataKey: HandlerOf.KEY }).flatMap((wrapper) => {
    const definition = discovery.getMetadataByDecorator(HandlerOf, wrapper);
    return definition === undefined ? [] : [{ wrapper, definition }];
  });
  const [found, another] = all.filter(({ definition }) => definition.type === type);
  if (found === undefined) {
    const others = all.map(({ definition }) => definition.type).join(', ');
    throw new Error(`its module provides no @JobHandler of "${type}"${others === '' ? '' : `, only of: ${others}`}`);
  }
  const { wrapper, definition } = found;
  if (another !== undefined) throw new Error(`"${type}" has two handlers: ${wrapper.name} and ${another.wrapper.name}`);
  if (!wrapper.isDependencyTreeStatic() || wrapper.isTransient) {
    throw new Error(`the handler ${wrapper.name} is not a singleton; handlers outlive requests and must be`);
  }
  // @JobHandler accepts classes that implement Handles only.
  return { definition, handler: wrapper.instance as Handles<JobDefinition> };
}
