/** What the composition root knows of a storage, whichever it is. */
import type { Clock, Config, Log } from '../base/index.ts'
import type { BackupAnswer } from '../store/embedded/index.ts'
import type {
  BlobStore,
  Broadcast,
  CatalogStore,
  KnownDamage,
  PayloadStore,
  SampleStore,
  StorageSizes,
  TimeSlot,
} from '../store/index.ts'

/** What a storage is opened with. */
export interface StorageOpening {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  /** Where it reports what did not check. */
  readonly damage: KnownDamage
  /** Ends a start that waits for its storage. */
  readonly signal?: AbortSignal
}

/** A storage of which the catalog is open, which is all that many commands need. */
export interface OpenedStorage {
  readonly catalog: CatalogStore
  /** Whether other processes write to it as well. */
  readonly isShared: boolean
  /** Calls a listener soon after each commit of another process, as far as the storage can. */
  onCommits?(listener: () => void): void
  /** Tells other processes what they may do without; absent where there are none. */
  readonly broadcast?: Broadcast
  /** Rejects when secrets in it are encrypted under another key than that of a file. */
  requireKey(key: Uint8Array, file: string): Promise<void>
  /** Opens the rest. */
  openStores(): Promise<OpenedStores>
}

/** The stores of samples, of the bodies of files, and of payloads. */
export interface OpenedStores {
  readonly samples: SampleStore
  readonly blobs: BlobStore
  readonly payloads: PayloadStore
  /** The times that this process may assign, where others assign some too. */
  readonly timeSlot: TimeSlot | undefined
  readonly backups: {
    /** Follows one command of a backup; refuses where none can be made. */
    answer(name: string, given: string | undefined): BackupAnswer
    /** Resolves when a deletion of streams may end. */
    mayEndDeletion(): Promise<void>
  }
  /** What an operator should know although calls are served. */
  findDetails?(): readonly string[]
  /** The clock of jobs that delete by age or begin at a time, where several machines do them. */
  readonly sharedClock?: Clock
  /** What is wrong with this machine's clock, among machines that share their data. */
  findClockProblem?(): string | undefined
  /** Why calls that need stored data are refused at the moment. */
  findStoreProblem?(): string | undefined
  /** What the parts take. */
  measure(): Promise<StorageSizes>
  /** What /metrics shows of them, in Prometheus' text format. */
  metrics(): Promise<string>
}
