/** What is to happen when a run takes too long. */
export interface TimeLimits {
  readonly timeoutMs: number;
  readonly soft: () => void;
  /** So long after the soft limit comes the hard one. */
  readonly graceMs: number;
  readonly hard: () => void;
}

/** Watches a run from now on; answers how to stop watching. */
export function watchTime({ timeoutMs, soft, graceMs, hard }: TimeLimits): () => void {
  let timer = setTimeout(() => {
    soft();
    timer = setTimeout(hard, graceMs);
  }, timeoutMs);
  return () => {
    clearTimeout(timer);
  };
}
