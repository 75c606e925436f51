/** What the tests use of the package, which has no types of its own. */
declare module '@20minutes/s3rver' {
  import type { RequestListener } from 'node:http';

  interface Options {
    readonly directory: string;
    readonly silent: boolean;
    readonly vhostBuckets: boolean;
    readonly allowMismatchedSignatures: boolean;
    readonly configureBuckets: readonly { readonly name: string }[];
  }

  interface Store {
    putContent(path: string, content: unknown): Promise<unknown>;
    listObjects(
      bucket: string,
      options: { readonly prefix: string; readonly startAfter: string; readonly maxKeys: number },
    ): Promise<Listed>;
    getObject(bucket: string, key: string, range: { readonly start?: number; readonly end?: number }): Promise<unknown>;
  }

  interface Listed {
    readonly objects: readonly { readonly key: string; readonly size: number; readonly lastModifiedDate: Date }[];
  }

  class S3rver {
    readonly store: Store;
    constructor(options: Options);
    configureBuckets(): Promise<unknown>;
    callback(): RequestListener;
  }

  export = S3rver;
}
