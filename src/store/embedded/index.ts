export { type BlobStoreOptions, openBlobStore } from './blob-store.ts'
