import { extname } from 'node:path';

/** Of what this product writes; texts are always UTF-8. */
const BY_ENDING: Readonly<Record<string, string>> = {
  '.csv': 'text/csv; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.json': 'application/json',
  '.ndjson': 'application/x-ndjson',
  '.pdf': 'application/pdf',
};

/** The media type that the ending of a name stands for. */
export function contentTypeOf(name: string): string {
  return BY_ENDING[extname(name)] ?? 'application/octet-stream';
}
