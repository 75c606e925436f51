import { parseStorageUrl } from '../storage/storage-url.js';
import { Wrong, type Variable } from './variable.js';

/** Where files are kept. Marked secret, as people write credentials into it, which do not belong there. */
export const storageUrl: Variable<string> = {
  name: 'STORAGE_URL',
  expected: 'file: and a folder, or s3://bucket/prefix with the options endpoint, region and signed_urls',
  fallback: 'file:.data/storage',
  secret: true,
  parse: (text) => {
    try {
      parseStorageUrl(text);
      return text;
    } catch (error) {
      if (error instanceof TypeError) return new Wrong(`it ${error.message}`);
      throw error;
    }
  },
};
