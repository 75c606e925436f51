/** class-transformer documents its metadata storage for JSON schema generators, but ships its types under another path. */
declare module 'class-transformer/cjs/storage.js' {
  export { defaultMetadataStorage } from 'class-transformer/types/storage.js';
}
