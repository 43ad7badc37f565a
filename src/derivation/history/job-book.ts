/** Jobs as documents of the catalog: they outlive the process that runs them. */
import type { Principal } from '../../access/index.ts'
import type { EpochMs } from '../../base/index.ts'
import { listPermitted } from '../../catalog/index.ts'
import {
  CatalogConflict,
  type CatalogDocument,
  type CatalogStore,
  type CatalogWrite,
  type JsonObject,
} from '../../store/index.ts'

/** What a job does to its end: RUNNING until it is over, waiting for its turn included. */
export const JOB_STATUSES = ['RUNNING', 'DONE', 'FAILED', 'CANCELLED'] as const
type JobStatus = (typeof JOB_STATUSES)[number]

/** What jobs do: derive results again, correct samples of a range, or undo a correction. */
export const JOB_KINDS = ['derive', 'correct', 'undo'] as const
type JobKind = (typeof JOB_KINDS)[number]

/** What a job does to the samples of its range, or undoes. */
export interface JobCorrection {
  readonly action: 'delete' | 'set' | 'offset' | 'scale'
  readonly value: number | string
  readonly sampleCount: number
  /** Until when it can be undone; null: not, or not any more. */
  readonly undoUntil: number | null
  /** The job that has undone it; '' if none has. */
  readonly undoneBy: string
  /** Of an undo, the job that it undoes. */
  readonly undoOf: string
  /** Of an undo, how many samples were written again since, and stay. */
  readonly leftCount: number
}

/** Samples of a range as they were before a job changed them, in a body beside those of files. */
export interface CorrectionBlock {
  readonly from: number
  readonly until: number
  readonly count: number
  readonly blob: { readonly key: string; readonly bytes: number; readonly sha256: string }
}

/** A job as people see it. */
export interface JobRecord {
  readonly uid: string
  readonly kind: JobKind
  /** Of jobs that change samples. */
  readonly correction?: JobCorrection
  readonly status: JobStatus
  /** Milliseconds of history that are through, of those that there are; samples where a job changes these. */
  readonly done: number
  readonly total: number
  readonly message: string
  readonly componentUid: string
  readonly streamUid: string
  readonly from: number
  readonly until: number
  readonly start: number
  /** When it was over; null while it runs. */
  readonly end: number | null
}

/** A job with the organization that it belongs to. */
export interface HistoryJob extends JobRecord {
  readonly orgUid: string
  /** The time from which on it has to go on. */
  readonly at: number
  /** What a correction has kept, by time. */
  readonly blocks?: readonly CorrectionBlock[]
}

/** How long the record of a job that is over can be asked for. */
const KEPT_MS = 7 * 86_400_000

/** Records of jobs that are over, of one organization; the oldest go first. */
const KEPT_MAX = 200

/** Others write a job once every some seconds. */
const TRIES_MAX = 20

const KIND = 'job'
const PAGE = 500

/** Reads and writes jobs; they lie outside of organizations, so that a start finds those that run. */
export class JobBook {
  readonly #catalog: Pick<CatalogStore, 'get' | 'list' | 'commit'>

  constructor(catalog: Pick<CatalogStore, 'get' | 'list' | 'commit'>) {
    this.#catalog = catalog
  }

  /** A job of an organization. */
  async find(orgUid: string, uid: string): Promise<HistoryJob | undefined> {
    const document = await this.#catalog.get({ orgUid: '', kind: KIND, uid })
    return document?.parentUid === orgUid ? readJob(document) : undefined
  }

  /** The jobs of the caller's organization that it may GET, those that began last first. */
  async list(
    principal: Principal,
    page: { readonly start: number; readonly limit: number },
  ): Promise<{ records: HistoryJob[]; totalCount: number }> {
    const query = { ...latestOf(principal.orgUid), ...page }
    const { documents, totalCount } = await listPermitted(this.#catalog, principal, query)
    return { records: documents.map(readJob), totalCount }
  }

  /** Every job that was not over when it was last written. */
  async findRunning(): Promise<HistoryJob[]> {
    const running: HistoryJob[] = []
    for (let start = 0; ; start += PAGE) {
      const query = { orgUid: '', kind: KIND, start, limit: PAGE, leavesOutDamaged: true }
      const { documents, totalCount } = await this.#catalog.list(query)
      running.push(...documents.map(readJob).filter(({ status }) => status === 'RUNNING'))
      if (start + PAGE >= totalCount) return running
    }
  }

  /** The jobs of an organization that are kept, those that began last first; of all organizations without one. */
  async *walk(orgUid?: string): AsyncGenerator<HistoryJob> {
    const whose = orgUid === undefined ? { orgUid: '', kind: KIND } : latestOf(orgUid)
    for (let start = 0; ; start += PAGE) {
      const query = { ...whose, start, limit: PAGE, leavesOutDamaged: true }
      const { documents, totalCount } = await this.#catalog.list(query)
      for (const document of documents) yield readJob(document)
      if (start + PAGE >= totalCount) return
    }
  }

  /** Changes a job that may be over. */
  async change(
    orgUid: string,
    uid: string,
    changed: (job: HistoryJob) => HistoryJob,
  ): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const document = await this.#catalog.get({ orgUid: '', kind: KIND, uid })
      if (document === undefined || document.parentUid !== orgUid) return
      try {
        await this.#catalog.commit([putOf(changed(readJob(document)), document.revision)])
        return
      } catch (error) {
        if (!(error instanceof CatalogConflict) || tries === TRIES_MAX) throw error
      }
    }
  }

  /** Keeps a job as it is, in one commit with the audit entries of its start. */
  async write(job: HistoryJob, entries: readonly CatalogWrite[]): Promise<void> {
    await this.#catalog.commit([putOf(job, 'any'), ...entries])
  }

  /**
   * Keeps a job while it is not over in the book; else returns its state there. Several processes may do so at once:
   * what one of them has ended stays.
   */
  async writeRunning(job: HistoryJob): Promise<HistoryJob> {
    for (let tries = 1; ; tries += 1) {
      const document = await this.#catalog.get({ orgUid: '', kind: KIND, uid: job.uid })
      const kept = document === undefined ? undefined : readJob(document)
      if (document === undefined || kept === undefined) return { ...job, status: 'CANCELLED' }
      if (kept.status !== 'RUNNING') return kept
      try {
        await this.#catalog.commit([putOf(job, document.revision)])
        return job
      } catch (error) {
        if (!(error instanceof CatalogConflict) || tries === TRIES_MAX) throw error
      }
    }
  }

  /** Lets the oldest of an organization's jobs go that are over and more than are kept. */
  async prune(orgUid: string): Promise<void> {
    const query = { ...latestOf(orgUid), start: KEPT_MAX, limit: PAGE }
    const { documents } = await this.#catalog.list(query)
    const over = documents.map(readJob).filter(({ status }) => status !== 'RUNNING')
    if (over.length === 0) return
    const expectedRevision = 'any' as const
    await this.#catalog.commit(
      over.map(({ uid }) => ({ op: 'delete', orgUid: '', kind: KIND, uid, expectedRevision })),
    )
  }
}

/** Lists the jobs of an organization, those that began last first. */
function latestOf(orgUid: string) {
  return { orgUid: '', kind: KIND, parentUid: orgUid, descending: true }
}

/** The record of a job without what is not shown. */
export function showJob({
  orgUid: _org,
  at: _at,
  blocks: _blocks,
  ...record
}: HistoryJob): JobRecord {
  return record
}

/** A job that begins. */
export function beginJob(about: {
  readonly uid: string
  readonly kind: JobKind
  readonly orgUid: string
  readonly componentUid: string
  readonly streamUid: string
  readonly from: number
  readonly until: number
  readonly start: EpochMs
  readonly total?: number
  readonly correction?: JobCorrection
}): HistoryJob {
  const progress = { status: 'RUNNING', done: 0, message: '', end: null } as const
  return { total: 0, ...about, ...progress, at: about.from }
}

function putOf(job: HistoryJob, expectedRevision: number | 'any'): CatalogWrite {
  const { uid, orgUid, end } = job
  return {
    op: 'put',
    orgUid: '',
    kind: KIND,
    uid,
    parentUid: orgUid,
    expectedRevision,
    listKey: String(job.start).padStart(16, '0'),
    ...(end === null ? {} : { expiresAtMs: end + KEPT_MS }),
    body: { ...job } as unknown as JsonObject,
  }
}

function readJob({ body }: CatalogDocument): HistoryJob {
  return body as unknown as HistoryJob
}
