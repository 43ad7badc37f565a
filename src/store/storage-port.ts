/** What the parts of the storage take, in bytes. */
export interface StorageSizes {
  readonly catalog: number
  readonly samples: number
  readonly journal: number
  readonly journalSegments: number
  /** What connectors were given, and what came of it. */
  readonly payloads: number
  /** What was set aside because it did not check. */
  readonly quarantine: number
  /** What the disk has left. */
  readonly free: number
}
