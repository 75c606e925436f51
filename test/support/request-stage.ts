import { readFile } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { HttpRequest } from '@antrean/catalog';
import { isFinal, type EnqueueOptions, type Job } from '@antrean/jobs';
import type { Resolver } from '@antrean/platform';
import { HttpRequestModule } from '../../apps/worker/src/handlers/http-request/http-request.module.js';
import type { PlainPayload } from './job-context.js';
import { startJobsApp, type JobsApp } from './jobs-app.js';

export type RequestPayload = PlainPayload<typeof HttpRequest>;

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

/** What requests are signed with that are signed as `shop`. */
export const SHOP_SECRETS: readonly Buffer[] = [Buffer.alloc(32, 1), Buffer.alloc(24, 2)];

/** A receiver, over TLS as hooks.test too, and a worker that may call it. */
export class RequestStage {
  readonly received: ReceivedRequest[] = [];
  answer: (response: ServerResponse, request: IncomingMessage) => void = accept;
  /** What names stand for. */
  resolve: Resolver = addresses('127.0.0.1');

  private constructor(
    readonly http: string,
    readonly httpsPort: number,
    readonly jobs: JobsApp,
    private readonly servers: readonly Server[],
  ) {}

  static async open(): Promise<RequestStage> {
    const certificate = await readFile('test/fixtures/tls/hooks.test.crt', 'utf8');
    const key = await readFile('test/fixtures/tls/hooks.test.key', 'utf8');
    const take = (request: IncomingMessage, response: ServerResponse): void => void stage.take(request, response);
    const servers = [createHttpServer(take), createHttpsServer({ key, cert: certificate }, take)] as const;
    const { providers = [] } = HttpRequestModule.register({
      outboundAllow: ['127.0.0.1', 'hooks.test'],
      webhookSecrets: new Map([['shop', SHOP_SECRETS]]),
      slots: 100,
      concurrency: {},
      resolver: (host, callback) => {
        stage.resolve(host, callback);
      },
      trusted: certificate,
    });
    const [httpPort, httpsPort] = [await listen(servers[0]), await listen(servers[1])];
    const jobs = await startJobsApp([HttpRequest], providers);
    const stage = new RequestStage(`http://127.0.0.1:${httpPort}`, httpsPort, jobs, servers);
    return stage;
  }

  /** As at first. */
  reset(): void {
    this.received.length = 0;
    this.resolve = addresses('127.0.0.1');
    this.answer = accept;
  }

  answerWith(status: number, headers: Readonly<Record<string, string>> = {}, body = ''): void {
    this.answer = (response) => response.writeHead(status, headers).end(body);
  }

  /** The job after its first run, which for a second one would be told to wait for long. */
  async call(part: Partial<RequestPayload> = {}, options: EnqueueOptions = {}): Promise<Job> {
    const backoff = { kind: 'fixed', delayMs: 3_600_000 } as const;
    const payload = { url: `${this.http}/paid?token=s3cr3t`, ...part };
    const { jobId } = await this.jobs.queue.enqueue(HttpRequest, payload, { backoff, ...options });
    return this.jobs.until(jobId, ({ status }) => isFinal(status) || status === 'retrying');
  }

  async close(): Promise<void> {
    await this.jobs.close();
    for (const server of this.servers) {
      server.close();
      server.closeAllConnections();
    }
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
    const { method = '', url = '', headers, rawHeaders } = request;
    // Node has lists of those only that the requests here do not have.
    this.received.push({ method, url, headers: headers as Record<string, string>, rawHeaders, body });
    this.answer(response, request);
  }
}

/** A resolver for which every name stands for these. */
export function addresses(...known: readonly string[]): Resolver {
  return (_host, callback) => {
    callback(
      null,
      known.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
}

function accept(response: ServerResponse): void {
  response.writeHead(204).end();
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}
