import { Agent, request } from 'node:http';

/** An answer, its body parsed. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const ANSWER_MS = 5_000;
const agent = new Agent({ keepAlive: true, maxSockets: 256 });

/** Rejects when no whole answer comes in time. */
export function ask(
  method: 'GET' | 'POST' | 'DELETE',
  url: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers, agent, signal: AbortSignal.timeout(ANSWER_MS) }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, body: text === '' ? undefined : JSON.parse(text) });
      });
      response.on('error', reject);
    });
    asked.on('error', reject);
    asked.end(body);
  });
}
