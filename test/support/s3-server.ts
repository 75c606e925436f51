import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import S3rver from '@20minutes/s3rver';
import { isSigned } from './s3-signature.js';

const BUCKET = 'files';
/** As many as S3 tells at once. */
const PAGE = 1_000;
/** The one account that the server knows, key and secret alike. */
const KEY = 'S3RVER';

/** A request as S3 knows it. */
export type S3Call = 'get' | 'head' | 'put' | 'delete' | 'list' | 'uploads' | 'begin' | 'part' | 'complete' | 'abort';

type Reaction =
  /** With S3's form of an error. */
  | { readonly kind: 'refuse'; readonly status: number; readonly code: string }
  /** Takes the request and never answers. */
  | { readonly kind: 'hang' }
  /** Cuts the connection after so many bytes of the answer's body. */
  | { readonly kind: 'cut'; readonly afterBytes: number; readonly tell?: (sent: number) => void }
  /** Does it, and cuts the connection before the answer. */
  | { readonly kind: 'forget' };

interface Plan {
  readonly call: S3Call;
  readonly reaction: Reaction;
  times: number;
}

/** A real S3 server with one bucket on a free port of the loopback interface, which works, or misbehaves as planned. */
export class S3TestServer {
  /** What was asked for, in order. */
  readonly calls: S3Call[] = [];
  private readonly plans: Plan[] = [];
  private readonly arrivals: { readonly call: S3Call; readonly resolve: () => void }[] = [];
  private readonly server: Server;
  private readonly work: RequestListener;

  private constructor(
    private readonly directory: string,
    private readonly s3: S3rver,
  ) {
    this.work = s3.callback();
    this.server = createServer((request, response) => {
      this.meet(request, response);
    });
  }

  /** Gives this process the credentials of the server, by the environment as AWS' client looks for them. */
  static async start(): Promise<S3TestServer> {
    Object.assign(process.env, {
      AWS_ACCESS_KEY_ID: KEY,
      AWS_SECRET_ACCESS_KEY: KEY,
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    });
    const directory = await mkdtemp(join(tmpdir(), 'antrean-s3-'));
    const s3 = new S3rver({
      directory,
      silent: true,
      vhostBuckets: false,
      configureBuckets: [{ name: BUCKET }],
      // It does not compute them as S3 does for lists, and for addresses with an apostrophe: we do.
      allowMismatchedSignatures: true,
    });
    await s3.configureBuckets();
    // As S3 does it: an object is replaced at once, and not at all by a body that broke off.
    const putContent = s3.store.putContent.bind(s3.store);
    let puts = 0;
    s3.store.putContent = async (path, content) => {
      const staged = join(directory, `staged-${(puts += 1)}`);
      const facts = await putContent(staged, content);
      await mkdir(dirname(path), { recursive: true });
      await rename(staged, path);
      return facts;
    };
    // It takes an end of 0 for none.
    const getObject = s3.store.getObject.bind(s3.store);
    s3.store.getObject = async (bucket, key, { start, end }) =>
      getObject(bucket, key, { ...(start !== undefined && { start }), ...(end !== undefined && { end: Object(end) as number }) });
    const server = new S3TestServer(directory, s3);
    await once(server.server.listen(0, '127.0.0.1'), 'listening');
    return server;
  }

  get endpoint(): string {
    const { port } = this.server.address() as AddressInfo; // It listens on a TCP port.
    return `http://127.0.0.1:${port}`;
  }

  /** For `STORAGE_URL`. */
  url(prefix = '', options = ''): string {
    return `s3://${BUCKET}/${prefix}?endpoint=${this.endpoint}${options}`;
  }

  refuse(call: S3Call, status: number, code: string, times = Infinity): void {
    this.plans.push({ call, reaction: { kind: 'refuse', status, code }, times });
  }

  hang(call: S3Call): void {
    this.plans.push({ call, reaction: { kind: 'hang' }, times: Infinity });
  }

  cut(call: S3Call, afterBytes = 0): void {
    this.plans.push({ call, reaction: { kind: 'cut', afterBytes }, times: Infinity });
  }

  /** Tells how many bytes of the answer's body were handed to the connection. */
  watch(call: S3Call, tell: (sent: number) => void): void {
    this.plans.push({ call, reaction: { kind: 'cut', afterBytes: Infinity, tell }, times: Infinity });
  }

  forget(call: S3Call, times = 1): void {
    this.plans.push({ call, reaction: { kind: 'forget' }, times });
  }

  /** Forgets plans and records. */
  behave(): void {
    this.plans.length = 0;
    this.calls.length = 0;
  }

  /** Resolves at the next request of the kind. */
  async next(call: S3Call): Promise<void> {
    return new Promise((resolve) => this.arrivals.push({ call, resolve }));
  }

  /** Uploads in parts that were begun, and neither completed nor aborted. */
  async unfinishedUploads(): Promise<readonly string[]> {
    return readdir(this.uploads).catch(() => []);
  }

  /** What they were to be called. */
  async unfinishedKeys(): Promise<readonly string[]> {
    const ids = await this.unfinishedUploads();
    const keys = await Promise.all(ids.map((id) => readFile(join(this.uploads, id, 'key'), 'utf8')));
    return keys.sort();
  }

  async forgetUploads(): Promise<void> {
    await rm(this.uploads, { recursive: true, force: true });
  }

  /** Begins an upload as a process did that died since. @param key in the bucket */
  async abandonUpload(key: string, beganAt: Date): Promise<void> {
    const path = join(this.uploads, randomUUID());
    await mkdir(path, { recursive: true });
    await writeFile(join(path, 'key'), key);
    await utimes(path, beganAt, beganAt);
  }

  /** Puts one-byte objects into the bucket without asking anybody. */
  async seed(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const path = join(this.directory, BUCKET, `${key}._S3rver_object`);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, '.');
    }
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => {
      this.server.close(() => {
        resolve();
      });
    });
    await rm(this.directory, { recursive: true, force: true });
  }

  private get uploads(): string {
    return join(this.directory, BUCKET, '._S3rver_uploads');
  }

  private meet(request: IncomingMessage, response: ServerResponse): void {
    const call = callOf(request);
    this.calls.push(call);
    for (const [index, arrival] of [...this.arrivals.entries()].reverse()) {
      if (arrival.call === call) this.arrivals.splice(index, 1)[0]?.resolve();
    }
    const plan = this.plans.find((one) => one.call === call && one.times > 0);
    if (plan !== undefined) plan.times -= 1;
    switch (plan?.reaction.kind) {
      case undefined:
        this.answer(call, request, response);
        return;
      case 'hang':
        request.resume();
        return;
      case 'refuse':
        refuse(request, response, plan.reaction.status, plan.reaction.code);
        return;
      case 'cut':
        this.cutAfter(plan.reaction, response);
        this.answer(call, request, response);
        return;
      case 'forget':
        response.end = () => response.destroy();
        response.write = () => true;
        this.answer(call, request, response);
        return;
    }
  }

  private answer(call: S3Call, request: IncomingMessage, response: ServerResponse): void {
    if (!isSigned(request, KEY)) {
      refuse(request, response, 403, 'SignatureDoesNotMatch');
      return;
    }
    // The package has no abort of uploads and no list of them, and pages of lists only where DES is.
    if (call === 'abort') void this.abort(request, response);
    else if (call === 'list') void this.list(request, response);
    else if (call === 'uploads') void this.listUploads(request, response);
    else this.work(request, response);
  }

  private async abort(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = new URL(request.url ?? '', this.endpoint).searchParams.get('uploadId') ?? '';
    await rm(join(this.uploads, id), { recursive: true, force: true });
    response.writeHead(204).end();
  }

  /** The package fails at what is deleted while it looks. */
  private async objects(prefix: string) {
    for (;;) {
      try {
        return (await this.s3.store.listObjects(BUCKET, { prefix, startAfter: '', maxKeys: Infinity })).objects;
      } catch (error) {
        // Not `instanceof Error`: those of Node's own modules are none of the `Error` that a test's globals hold.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
  }

  private async list({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const query = new URL(url, this.endpoint).searchParams;
    const startAfter = query.get('continuation-token') ?? '';
    // The package lists folder by folder, S3 by keys.
    const all = (await this.objects(query.get('prefix') ?? '')).filter(({ key }) => key > startAfter);
    const objects = all.toSorted((one, other) => (one.key < other.key ? -1 : 1)).slice(0, PAGE);
    const isTruncated = objects.length < all.length;
    const contents = objects.map(({ key, size, lastModifiedDate }) => {
      return `<Contents><Key>${key}</Key><Size>${size}</Size><LastModified>${lastModifiedDate.toISOString()}</LastModified></Contents>`;
    });
    const next = isTruncated ? `<NextContinuationToken>${objects.at(-1)?.key ?? ''}</NextContinuationToken>` : '';
    response.writeHead(200, { 'Content-Type': 'application/xml' });
    response.end(`<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`);
  }

  /** One at a time, so that there are pages of them. */
  private async listUploads({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const query = new URL(url, this.endpoint).searchParams;
    const [prefix, after] = [query.get('prefix') ?? '', query.get('upload-id-marker') ?? ''];
    const found: string[] = [];
    for (const id of [...(await this.unfinishedUploads())].sort()) {
      const key = await readFile(join(this.uploads, id, 'key'), 'utf8');
      const { mtime } = await stat(join(this.uploads, id));
      if (!key.startsWith(prefix) || id <= after) continue;
      const marker = `<NextKeyMarker>${key}</NextKeyMarker><NextUploadIdMarker>${id}</NextUploadIdMarker>`;
      found.push(
        `${marker}<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${mtime.toISOString()}</Initiated></Upload>`,
      );
    }
    response.writeHead(200, { 'Content-Type': 'application/xml' });
    const isTruncated = `<IsTruncated>${found.length > 1}</IsTruncated>`;
    response.end(`<ListMultipartUploadsResult>${isTruncated}${found[0] ?? ''}</ListMultipartUploadsResult>`);
  }

  private cutAfter({ afterBytes, tell }: Extract<Reaction, { kind: 'cut' }>, response: ServerResponse): void {
    let sent = 0;
    const write = response.write.bind(response);
    response.write = (chunk: Buffer) => {
      sent += chunk.length;
      tell?.(sent);
      if (sent <= afterBytes) return write(chunk);
      response.destroy();
      return false;
    };
  }
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number, code: string): void {
  request.resume();
  response.writeHead(status, { 'Content-Type': 'application/xml' });
  response.end(request.method === 'HEAD' ? '' : `<Error><Code>${code}</Code><Message>Refused</Message></Error>`);
}

function callOf({ method = '', url = '' }: IncomingMessage): S3Call {
  const { searchParams: query } = new URL(url, 'http://s3');
  const inParts = query.has('uploadId');
  switch (method) {
    case 'PUT':
      return inParts ? 'part' : 'put';
    case 'POST':
      return inParts ? 'complete' : 'begin';
    case 'DELETE':
      return inParts ? 'abort' : 'delete';
    case 'HEAD':
      return 'head';
    default:
      if (query.has('uploads')) return 'uploads';
      return query.has('list-type') ? 'list' : 'get';
  }
}
