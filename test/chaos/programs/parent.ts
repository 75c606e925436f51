/** Ends this process with the one that started it. */
export function endWithParent(): void {
  process.on('disconnect', () => process.exit());
  // A Ctrl-C in the terminal is the parent's to answer.
  process.on('SIGINT', () => undefined);
}

/** Tells the parent how much the objects of this process take, when it asks. */
export function tellHeap(): void {
  process.on('message', (message) => {
    if (message !== 'heap') return;
    // There with --expose-gc only.
    globalThis.gc?.();
    process.send?.({ heapBytes: process.memoryUsage().heapUsed });
  });
}

export function tellParent(message: string): void {
  process.send?.(message);
}

/** What the parent set for this process. */
export function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set.`);
  return value;
}
