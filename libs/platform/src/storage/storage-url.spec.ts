import { ConfigError } from '../config/config-error.js';
import { loadWorkerConfig } from '../config/worker-config.js';
import { parseStorageUrl } from './storage-url.js';

function faultOf(STORAGE_URL: string): string | undefined {
  try {
    loadWorkerConfig({ STORAGE_URL }, false);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.get('STORAGE_URL');
    throw error;
  }
  return undefined;
}

describe('STORAGE_URL', () => {
  it.each([
    ['file:.data/storage', '.data/storage'],
    ['file:/var/lib/antrean', '/var/lib/antrean'],
    ['file:///var/lib/antrean files', '/var/lib/antrean files'],
    ['file:./a/../b', './a/../b'],
  ])('%s is a folder', (text, path) => {
    expect(parseStorageUrl(text)).toEqual({ kind: 'folder', path });
  });

  const bucket = { kind: 's3', bucket: 'files', prefix: '', endpoint: undefined, region: undefined, signedUrls: true };

  it.each([
    ['s3://files', {}],
    ['s3://files/', {}],
    ['s3://files/shop/Blue_1/', { prefix: 'shop/Blue_1' }],
    ['s3://my.files-2?region=eu-central-1', { bucket: 'my.files-2', region: 'eu-central-1' }],
    ['s3://files?endpoint=http://minio:9000', { endpoint: 'http://minio:9000', region: 'us-east-1' }],
    [
      's3://files/a?endpoint=https%3A%2F%2Fs3.example.com%2F&region=fr-par&signed_urls=off',
      { prefix: 'a', endpoint: 'https://s3.example.com', region: 'fr-par', signedUrls: false },
    ],
  ])('%s is a bucket', (text, facts) => {
    expect(parseStorageUrl(text)).toEqual({ ...bucket, ...facts });
  });

  it.each([
    ['.data/storage', 'begins with neither file: nor s3://'],
    ['/var/lib', 'begins with neither file: nor s3://'],
    ['https://files.s3.amazonaws.com', 'begins with neither file: nor s3://'],
    ['S3://files', 'begins with neither file: nor s3://'],
    ['s3:files', 'begins with neither file: nor s3://'],
    ['s3://files:x', 'is no URL'],
    ['file:', 'names no folder'],
    ['file://', 'names a host'],
    ['file://host/share', 'names a host'],
    ['file:a%20b', 'has a ?, # or %'],
    ['file:a?b', 'has a ?, # or %'],
    ['file:a\u0000b', 'has a control character'],
    ['s3://', 'names no bucket'],
    ['s3:///prefix', 'names no bucket'],
    ['s3://ab', 'names no bucket'],
    ['s3://Files', 'names no bucket'],
    ['s3://my_files', 'names no bucket'],
    ['s3://hunter2:hunter2@files', 'holds credentials'],
    ['s3://files:9000/a', 'has a port'],
    ['s3://files#a', 'has a port or a #'],
    ['s3://files/a//b', 'has a prefix with more than'],
    ['s3://files/a%2e%2e/b', 'has a prefix with more than'],
    ['s3://files/a b', 'has a prefix with more than'],
    ['s3://files?endpoint=minio:9000', 'has an endpoint that is no http'],
    ['s3://files?endpoint=http://minio/path', 'has an endpoint that is no http'],
    ['s3://files?endpoint=http://hunter2:hunter2@minio', 'has an endpoint that is no http'],
    ['s3://files?endpoint=', 'has an endpoint that is no http'],
    ['s3://files?region=', 'has a region that is none'],
    ['s3://files?region=EU', 'has a region that is none'],
    ['s3://files?region=a&region=b', 'has an option twice'],
    ['s3://files?key=hunter2', 'has an option that is not known: there are endpoint, region, signed_urls'],
    ['s3://files?signed_urls=no', 'has signed_urls neither on nor off'],
  ])('%j is refused with what to write instead', (text, because) => {
    const fault = faultOf(text);
    expect(fault).toContain(`found a value that is not shown (it ${because}`);
    expect(fault).not.toContain('hunter2');
  });
});
