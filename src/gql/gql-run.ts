import type { Principal } from '../access/index.ts'
import type { EpochMs } from '../base/index.ts'
import type { IncomingSamples } from '../feed/index.ts'
import type { PutTrial, RepeatablePut } from '../feed/put/index.ts'
import type {
  CompiledRead,
  GsSqlOptions,
  InputBatch,
  RowCell,
  RunKind,
  SqlCell,
  SqlColumn,
  WantedRead,
} from '../sql/index.ts'
import type { TextRows } from './fed-batches.ts'

/** What a run may do beside SET and SELECT over texts. */
interface GqlAllowance {
  readonly insert: boolean
  /** Whether it may read stored tables. */
  readonly stored: boolean
}

/** A text of GS SQL with what it is compiled for. */
export interface GqlText {
  readonly sql: string
  readonly timeZoneId: string
  readonly allows: GqlAllowance
}

/** One run of a text of GS SQL. */
export interface GqlRun extends GqlText {
  /** Whose rights hold. */
  readonly principal: Principal
  readonly organizationUid: string
  /** Webhooks have runners that queries cannot take; a query if unsaid. */
  readonly kind?: RunKind
  /** Under which the compiled text is kept; by the text itself if unsaid. */
  readonly key?: string
  /** Values by the names of variables, @ and capitals. */
  readonly variables: ReadonlyMap<string, SqlCell>
  /** The time of the call. */
  readonly now: EpochMs
  /** What is known of a run that may be made again: its samples with a NULL time are then where they were. */
  readonly repeat?: RepeatablePut
  /** Whether it only returns the samples it would store. */
  readonly isDry: boolean
  /** The most rows that SELECTs may give together. */
  readonly rowsMax?: number
  /** The code of mistakes in the text: whose text it is decides who has made them. `sql_error` if unsaid. */
  readonly mistake?: 'bad_sql' | 'sql_error'
  /** Takes rows of the last SELECT, for `readCell`; the next come when what it returns has resolved. */
  onRows?(rows: RowCell[][], columns: readonly SqlColumn[]): void | Promise<void>
  /** Hears of samples that were handed to the statements one by one, as often as some are. */
  onHanded?(handed: HandedSamples): void
  /** Re-reads the caller's rights after the statements have run. Fails if they were revoked. */
  readonly renew?: () => Promise<Principal>
  /** What CSV_TABLE over @JDBC_RESULT takes in the place of its text, as often as asked; only where `takesRows` says so. */
  resultRows?(): AsyncIterable<TextRows>
  /**
   * Receives the samples of all INSERTs in batches; none is then stored here. The next batch is sent when the returned
   * promise has resolved.
   */
  onSamples?(samples: IncomingSamples): Promise<void>
  /** The most samples of all INSERTs together; those of one call if unsaid. */
  readonly samplesMax?: number
  /** Ends the run, before anything is stored; it fails with the signal's reason. */
  readonly signal?: AbortSignal
}

/** A sample that a dry run would store; whole numbers beyond 2^53 are texts. */
export interface GqlSample {
  readonly cid: string
  readonly id: string
  readonly time: number
  readonly sample: number | string | boolean | null
}

/** Samples of one stream that statements could read. */
interface HandedSamples {
  readonly componentUid: string
  readonly compId: string
  readonly streamId: string
  readonly amount: number
}

/** What a run has done. */
export interface GqlOutcome {
  /** Those of the last SELECT; none where there is no SELECT. */
  readonly columns: readonly SqlColumn[]
  /** The rows of the last SELECT. */
  readonly rowCount: number
  /** The rows of all INSERTs that have a value: stored, or in a dry run not. */
  readonly sampleCount: number
  /** What the caller should hear of the samples that are stored, of a dry run of those it shows. */
  readonly warnings: readonly string[]
  /** Of a dry run, the first samples. */
  readonly samples?: readonly GqlSample[]
  /** Of a dry run, the streams that would be created. */
  readonly created?: PutTrial['created']
}

/** A stored table that a run asks for. */
export interface StoredRequest {
  readonly read: CompiledRead
  readonly wanted: WantedRead
  readonly run: GqlRun
}

/** What hands stored data to runs. */
export interface StoredReads {
  /** The tables that may be read, with their columns; always the same object. */
  readonly tables: NonNullable<GsSqlOptions['stored']>
  /** Refuses a run whose organization may not read stored data. */
  require(run: GqlRun): void | Promise<void>
  /** The rows of a table that a run asks for, as far as its caller may see them. */
  open(request: StoredRequest): AsyncIterable<InputBatch>
}
