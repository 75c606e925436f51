const LINE_END = '\r\n';

/** Cuts a stream of Redis' protocol (RESP2 or 3) into whole commands or replies. */
export class RespFrames {
  private rest = Buffer.alloc(0);

  /** The frames that are complete with this chunk. */
  push(chunk: Buffer): Buffer[] {
    let buffer = Buffer.concat([this.rest, chunk]);
    const frames: Buffer[] = [];
    for (let end = endOf(buffer, 0); end !== undefined; end = endOf(buffer, 0)) {
      frames.push(buffer.subarray(0, end));
      buffer = buffer.subarray(end);
    }
    this.rest = buffer;
    return frames;
  }
}

/** The arguments of a command: an array of bulk strings. */
export function argumentsOf(command: Buffer): Buffer[] {
  const args: Buffer[] = [];
  let at = command.indexOf(LINE_END) + 2;
  while (at < command.length) {
    const start = command.indexOf(LINE_END, at) + 2;
    const length = Number(command.toString('latin1', at + 1, start - 2));
    args.push(command.subarray(start, start + length));
    at = start + length + 2;
  }
  return args;
}

/** Where the frame that begins at `at` ends; undefined when it is not whole yet. */
function endOf(buffer: Buffer, at: number): number | undefined {
  const lineEnd = buffer.indexOf(LINE_END, at);
  if (lineEnd < 0) return undefined;
  const count = Number(buffer.toString('latin1', at + 1, lineEnd));
  const start = lineEnd + 2;
  switch (buffer.toString('latin1', at, at + 1)) {
    case '$':
    case '=':
    case '!': {
      const end = start + (count < 0 ? 0 : count + 2);
      return end <= buffer.length ? end : undefined;
    }
    case '*':
    case '~':
    case '>':
      return endOfMany(buffer, start, count);
    case '%':
      return endOfMany(buffer, start, 2 * count);
    default:
      return start;
  }
}

function endOfMany(buffer: Buffer, start: number, count: number): number | undefined {
  let at: number | undefined = start;
  for (let i = 0; i < count && at !== undefined; i += 1) at = endOf(buffer, at);
  return at;
}
