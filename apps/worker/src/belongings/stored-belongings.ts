import { text } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { JOB_FOLDERS, JobBelongings, jobFolder, jobOfFile, type BelongingsOrigin } from '@antrean/jobs';
import { Storage, StoredFileNotFoundError, parseStorageName, type StorageName } from '@antrean/platform';
import { Imports } from '@antrean/shop';

const ALL_FOLDERS = parseStorageName(JOB_FOLDERS);

/** The folders that jobs have in the storage, and the rows of imports. What else lies in the storage is nobody's here. */
@Injectable()
export class StoredBelongings extends JobBelongings {
  constructor(
    private readonly storage: Storage,
    private readonly imports: Imports,
  ) {
    super();
  }

  override async *owners(): AsyncGenerator<string, void, undefined> {
    for await (const name of this.storage.list(ALL_FOLDERS)) {
      const jobId = jobOfFile(name);
      if (jobId !== undefined) yield jobId;
    }
    yield* this.imports.jobIds();
  }

  override async remove(jobId: string): Promise<boolean> {
    const hadRows = await this.imports.remove(jobId);
    const hadFiles = await this.storage.deleteFolder(parseStorageName(jobFolder(jobId)));
    return hadRows || hadFiles;
  }

  override async originOf(type: string): Promise<BelongingsOrigin | undefined> {
    try {
      return parseOrigin(await text((await this.storage.read(originFile(type))).body));
    } catch (error) {
      if (error instanceof StoredFileNotFoundError) return undefined;
      throw error;
    }
  }

  override async keepOrigin(type: string, { origin, sweptFrom }: BelongingsOrigin): Promise<void> {
    const json = JSON.stringify({ redis: origin, swept_from: sweptFrom.toISOString() });
    await this.storage.write(originFile(type), chunks(`${json}\n`));
  }
}

function originFile(type: string): StorageName {
  return parseStorageName(`${JOB_FOLDERS}/${type}/redis.json`);
}

/** What somebody has spoilt is of no Redis at all. */
function parseOrigin(json: string): BelongingsOrigin {
  try {
    // It is looked at below.
    const { redis, swept_from } = JSON.parse(json) as { readonly redis: unknown; readonly swept_from: unknown };
    const sweptFrom = new Date(String(swept_from));
    if (typeof redis === 'string' && !Number.isNaN(sweptFrom.getTime())) return { origin: redis, sweptFrom };
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
  }
  return { origin: '', sweptFrom: new Date(0) };
}

async function* chunks(content: string): AsyncGenerator<Buffer> {
  yield await Promise.resolve(Buffer.from(content));
}
