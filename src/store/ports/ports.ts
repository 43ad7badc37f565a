/**
 * The doors to storage. Everything above is written once against these interfaces; one contract
 * suite (test/contract) runs over every adapter. All time ranges are half-open: from ≤ time < until.
 */
export * from './blob-port.ts'
export type * from './broadcast-port.ts'
export * from './catalog-port.ts'
export * from './component-port.ts'
export type * from './document-key.ts'
export type * from './move-port.ts'
export * from './payload-port.ts'
export * from './sample-port.ts'
export type * from './scrub-port.ts'
export type * from './storage-port.ts'
