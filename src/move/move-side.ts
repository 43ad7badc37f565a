import type {
  BlobStore,
  CatalogStore,
  MovableCatalog,
  MovablePayloads,
  PayloadStore,
  SampleStore,
  StreamHandle,
} from '../store/index.ts'

/** The stores that everything is moved between; nobody else has them open. */
interface MoveSide {
  /** What people know it by. */
  readonly name: string
  /** Of the key that its secrets are encrypted under; undefined where it has none. */
  readonly keyFingerprint: string | undefined
  readonly catalog: CatalogStore
  /** The same catalog. */
  readonly whole: MovableCatalog
  readonly samples: SampleStore
  readonly blobs: BlobStore
  readonly payloads: PayloadStore & MovablePayloads
}

/** Where everything comes from; nothing in it is changed. */
export interface MoveSource extends MoveSide {
  /** Identifies these data. */
  readonly identity: string
  /** The streams that others are derived from. */
  readonly watched: readonly StreamHandle[]
}

/** Where everything goes to. */
export interface MoveTarget extends MoveSide {
  /** Brings samples to where a restart does not read them again; what was put before is not reported as touched by one. */
  settle(): Promise<void>
  /** Keeps services out that have another key than the source's, where the target can. */
  holdKey(fingerprint: string): Promise<void>
}

/** Called with the progress of a move. */
type OnMoved = (what: string) => void

/** What a move is made of. */
export interface MoveParts {
  readonly source: MoveSource
  readonly target: MoveTarget
  readonly onMoved: OnMoved
}

/** A stream in both stores, which know it by handles of their own. */
export interface StreamPair {
  readonly uid: string
  readonly source: StreamHandle
  readonly target: StreamHandle
  /** Whether its samples name files. */
  readonly hasFiles: boolean
}
