/** Ends this process with the one that started it. */
export function endWithParent(): void {
  process.on('disconnect', () => process.exit());
  // A Ctrl-C in the terminal is the parent's to answer.
  process.on('SIGINT', () => undefined);
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
