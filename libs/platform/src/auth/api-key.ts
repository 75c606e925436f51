/** What a key may do: submit jobs, look at things, or act on jobs and queues. None includes another. */
export const SCOPES = ['submit', 'read', 'manage'] as const;
export type Scope = (typeof SCOPES)[number];

/** A client's key. The key itself is nowhere, only its hash. */
export interface ApiKey {
  readonly name: string;
  /** SHA-256 of the key, 64 lower-case hex digits. */
  readonly sha256: string;
  readonly scopes: readonly Scope[];
}
