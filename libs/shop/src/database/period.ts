/** From a moment on, until before another; without one it has no bound on that side. */
export interface Period {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** Within the times that databases and dates can hold. */
export function boundsOf({ from, to }: Period): { readonly fromMs: number; readonly toMs: number } {
  return { fromMs: from?.getTime() ?? 0, toMs: to?.getTime() ?? Number.MAX_SAFE_INTEGER };
}
