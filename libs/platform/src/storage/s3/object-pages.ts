import { ListObjectsV2Command, type S3Client, type _Object } from '@aws-sdk/client-s3';
import { s3Error } from './s3-errors.js';

/** The objects whose keys begin with a prefix, as many at once as S3 tells. Throws errors of the storage. */
export async function* objectPages(client: S3Client, Bucket: string, Prefix: string): AsyncGenerator<readonly _Object[]> {
  let ContinuationToken: string | undefined;
  do {
    const answer = client.send(new ListObjectsV2Command({ Bucket, Prefix, ContinuationToken }));
    const page = await answer.catch((error: unknown) => {
      throw s3Error(error, Bucket);
    });
    yield page.Contents ?? [];
    ContinuationToken = page.NextContinuationToken;
  } while (ContinuationToken !== undefined);
}
