import type { Logger } from '@antrean/platform';
import type { JobDefinition } from '../definition/job-definition.js';

/** What an application that submits jobs tells the jobs module. */
export interface ProducerOptions {
  readonly definitions: readonly JobDefinition[];
  /** See `parseRedisUrl` of the platform for the forms. */
  readonly redisUrl: string;
  /** First part of every key's name. */
  readonly keyPrefix: string;
  /** Of a payload as UTF-8 JSON. Default 262,144. */
  readonly maxPayloadBytes?: number;
  /** `replicated`: a job is accepted once a replica has it. Default `local`. */
  readonly durability?: 'local' | 'replicated';
  /** Which jobs tell of ends; the workers are given how. Without it a submit with a webhook is refused: nobody would tell it. */
  readonly webhooks?: { readonly definition: JobDefinition };
  readonly logger: Logger;
}

export function typesOf({ definitions }: Pick<ProducerOptions, 'definitions'>): readonly string[] {
  return definitions.map(({ type }) => type);
}

/** The token under which the options are injected. */
export const PRODUCER_OPTIONS = Symbol('PRODUCER_OPTIONS');

const DEFAULT_MAX_PAYLOAD_BYTES = 262_144;

/** What this application takes of a submit. */
export interface SubmitLimits {
  readonly maxPayloadBytes: number;
  /** Also such as are to be told of. */
  readonly webhooks: boolean;
}

export function submitLimitsOf(options: ProducerOptions): SubmitLimits {
  return { maxPayloadBytes: maxPayloadBytesOf(options), webhooks: options.webhooks !== undefined };
}

export function maxPayloadBytesOf({ maxPayloadBytes = DEFAULT_MAX_PAYLOAD_BYTES }: ProducerOptions): number {
  return maxPayloadBytes;
}
