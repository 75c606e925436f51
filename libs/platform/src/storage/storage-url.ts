/** A folder that all processes of an installation share. */
interface FolderTarget {
  readonly kind: 'folder';
  /** Relative to the working directory, or absolute. */
  readonly path: string;
}

/** A bucket of S3, or of a server that speaks it. */
export interface S3Target {
  readonly kind: 's3';
  readonly bucket: string;
  /** What all keys begin with, without slashes at its ends; may be empty. */
  readonly prefix: string;
  /** Of a server that is not Amazon's, without a path. */
  readonly endpoint: string | undefined;
  /** Undefined: what AWS' own variables and files say. */
  readonly region: string | undefined;
  /** Whether clients can reach the server, and so are sent there with a signed address. */
  readonly signedUrls: boolean;
}

export type StorageTarget = FolderTarget | S3Target;

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX_SEGMENT = /^(?!\.{1,2}$)[A-Za-z0-9!_.*'()-]{1,128}$/;
const REGION = /^[a-z0-9-]{1,64}$/;
/** Such servers have no regions, and a signature needs one. */
const ANY_REGION = 'us-east-1';
const PARAMETERS: readonly string[] = ['endpoint', 'region', 'signed_urls'];

/**
 * Reads `file:folder` or `s3://bucket/prefix?endpoint=…&region=…&signed_urls=on|off`.
 * @throws {TypeError} whose message says what to write instead, to stand after "it", without a part of the text that may be secret.
 */
export function parseStorageUrl(text: string): StorageTarget {
  if (text.startsWith('file:')) return folderIn(text.slice('file:'.length));
  if (text.startsWith('s3://')) return bucketIn(text);
  throw new TypeError('begins with neither file: nor s3://, such as file:/var/lib/antrean or s3://bucket/prefix');
}

function folderIn(text: string): FolderTarget {
  const path = text.replace(/^\/\/(?=\/)/, '');
  demand(!path.startsWith('//'), 'names a host: write file:/folder for an absolute path and file:folder for a relative one');
  demand(!/[?#%]/.test(path), 'has a ?, # or %: a folder is written as it is, without options and escapes');
  // eslint-disable-next-line no-control-regex -- It is what must not be there.
  demand(!/[\u0000-\u001f]/.test(path), 'has a control character: a folder is written on one line');
  demand(path !== '', 'names no folder: write file:.data/storage, for example');
  return { kind: 'folder', path };
}

function bucketIn(text: string): S3Target {
  demand(URL.canParse(text), 'is no URL: write s3://bucket/prefix');
  const { hostname, port, username, password, pathname, hash, searchParams } = new URL(text);
  demand(
    username === '' && password === '',
    'holds credentials: leave them out and set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role',
  );
  demand(port === '' && hash === '', 'has a port or a #: a server of your own is named by ?endpoint=https://host:port');
  demand(BUCKET.test(hostname), 'names no bucket: 3 to 63 lower-case letters, digits, dots and dashes after s3://');
  const prefix = pathname.replaceAll(/^\/|\/$/g, '');
  const segments = prefix === '' ? [] : prefix.split('/');
  demand(
    segments.every((segment) => PREFIX_SEGMENT.test(segment)),
    "has a prefix with more than letters, digits and !_.*'()- between its slashes",
  );
  const names = [...searchParams.keys()];
  demand(new Set(names).size === names.length, 'has an option twice');
  demand(
    names.every((name) => PARAMETERS.includes(name)),
    `has an option that is not known: there are ${PARAMETERS.join(', ')}`,
  );
  const endpoint = endpointIn(searchParams.get('endpoint'));
  const region = searchParams.get('region') ?? (endpoint === undefined ? undefined : ANY_REGION);
  demand(region === undefined || REGION.test(region), 'has a region that is none: write ?region=eu-central-1, for example');
  const signedUrls = searchParams.get('signed_urls') ?? 'on';
  demand(/^(?:on|off)$/.test(signedUrls), 'has signed_urls neither on nor off');
  return { kind: 's3', bucket: hostname, prefix, endpoint, region, signedUrls: signedUrls === 'on' };
}

function endpointIn(text: string | null): string | undefined {
  if (text === null) return undefined;
  const fault =
    'has an endpoint that is no http:// or https:// URL of a host alone, such as ?endpoint=https://minio.example.com:9000';
  demand(URL.canParse(text), fault);
  const url = new URL(text);
  demand(/^https?:$/.test(url.protocol) && url.href === `${url.origin}/`, fault);
  return url.origin;
}

function demand(holds: boolean, fault: string): asserts holds {
  if (!holds) throw new TypeError(fault);
}
