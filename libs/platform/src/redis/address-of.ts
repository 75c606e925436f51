import type { Redis } from 'ioredis';

/** Where a connection leads, as a Cluster writes it. */
export function addressOf({ options: { host, port } }: Redis): string {
  return `${host ?? ''}:${port ?? ''}`;
}
