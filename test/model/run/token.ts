import type { Token } from '../rules/job.js';

/** The model's token from the 14 bytes of the engine's: worker number (7), lane (1), call number (6), little endian. */
export function tokenText(bytes: Buffer): Token {
  const number = bytes.readUIntLE(0, 6) + bytes.readUInt8(6) * 2 ** 48;
  return `${number}:${bytes.readUInt8(7)}:${bytes.readUIntLE(8, 6)}`;
}

export function tokenBytes(token: Token): Buffer {
  const [worker = '0', lane, call] = token.split(':');
  const bytes = Buffer.alloc(14);
  bytes.writeBigUInt64LE(BigInt(worker));
  bytes.writeUInt8(Number(lane), 7);
  bytes.writeUIntLE(Number(call), 8, 6);
  return bytes;
}
