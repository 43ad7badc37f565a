/** What the parts of the storage take, in bytes; null where unknown, as in a cluster. */
export interface StorageSizes {
  readonly catalog: number | null
  readonly samples: number | null
  readonly journal: number | null
  readonly journalSegments: number | null
  /** Payloads and calls of connectors, each with its result. */
  readonly payloads: number | null
  /** What was set aside because it did not check. */
  readonly quarantine: number | null
  /** What the disk of the data folder has left. */
  readonly free: number
}
