/** As much of a job definition as says where its handler runs. */
interface Isolatable {
  readonly type: string;
  readonly isolation: 'none' | 'thread';
}

/**
 * What is wrong with the files named for types that run in threads of their own; empty when nothing is.
 * @param definitions all types that the worker knows, also those that it does not run.
 * @param isolated the file of each type's module, by type.
 * @param isRun says of a type whether this worker runs it; one that it does not run needs no file.
 */
export function isolationFaults(
  definitions: readonly Isolatable[],
  isolated: Readonly<Record<string, URL>>,
  isRun: (type: string) => boolean,
): string[] {
  const files = new Map(Object.entries(isolated));
  const byType = new Map(definitions.map((definition) => [definition.type, definition]));
  const missing = definitions
    .filter(({ type, isolation }) => isolation === 'thread' && isRun(type) && !files.has(type))
    .map(
      ({ type }) =>
        `"${type}" says isolation: 'thread', but forWorker({ isolated }) names no file for it. ` +
        `Add '${type}': new URL('./its.module.js', import.meta.url).`,
    );
  const wrong = [...files].flatMap(([type, file]) => {
    const fault = faultOf(byType.get(type), file);
    return fault === undefined ? [] : [`forWorker({ isolated }) names a file for "${type}", ${fault}`];
  });
  return [...missing, ...wrong];
}

function faultOf(definition: Isolatable | undefined, file: unknown): string | undefined {
  if (definition === undefined) return 'which is not among the definitions given to the jobs module.';
  if (definition.isolation !== 'thread')
    return "whose definition does not say isolation: 'thread'. Say so there, or take the file out.";
  if (!(file instanceof URL)) return 'but not as a URL. Write new URL(…, import.meta.url).';
  if (file.protocol !== 'file:')
    return `but it is a ${file.protocol} URL. It must be a file: URL; write new URL(…, import.meta.url).`;
  return undefined;
}
