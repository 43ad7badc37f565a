/** The adapters of the storage ports on one folder of one machine; opened only by app.ts and tests. */
export { type BlobStoreOptions, openBlobStore } from './blob-store.ts'
export { type CatalogStoreOptions, openCatalogStore } from './catalog-store.ts'
export { checkFolder, damageOf, FolderDamaged } from './check-folder.ts'
export { DiskFaults } from './disk/faulty-disk.ts'
export { FolderInUse, type FolderLock, lockFolder } from './folder-lock.ts'
export { openKeyFile } from './key-file.ts'
export { openSampleStore, type SampleStoreOptions } from './open-sample-store.ts'
export { EmbeddedSampleStore } from './sample-store.ts'
