import type { Principal } from '../access/index.ts'
import { type Clock, newUid, refuse } from '../base/index.ts'
import { type Author, type Catalog, planChange } from '../catalog/index.ts'
import { VALUE_CODE } from '../catalog/shape/index.ts'
import {
  beginJob,
  type HistoryJobs,
  type JobBook,
  type JobCorrection,
  type JobRecord,
  showJob,
} from '../derivation/index.ts'
import type { SampleStore, StreamHandle } from '../store/index.ts'
import { type CorrectionAction, correctedValue, UNDO_SAMPLES_MAX } from './correction.ts'
import {
  type AskedCorrection,
  type CorrectedStream,
  findStream,
  readCorrection,
  requireFit,
} from './read-correction.ts'

/** How long a correction can be undone. */
const UNDO_MS = 86_400_000
/** Samples that a preview shows from each end of the range. */
const SHOWN = 3
/** Corrections of a stream that are listed. */
const LISTED_MAX = 100

interface Deps {
  readonly book: JobBook
  readonly catalog: Catalog
  readonly clock: Clock
  readonly jobs: HistoryJobs
  readonly samples: SampleStore
}

/** What a correction would do. */
interface CorrectionPreview {
  readonly action: CorrectionAction
  readonly from: number
  readonly until: number
  readonly sampleCount: number
  readonly canUndo: boolean
  /** The first and the last samples of the range. */
  readonly samples: readonly {
    readonly time: number
    readonly before: number | string | boolean
    /** Null: deleted. */
    readonly after: number | string | boolean | null
  }[]
}

/** Changes or deletes samples of a range, and undoes that. */
export class Corrections {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** What a correction would do; changes nothing. What is asked for is read once the right is known. */
  async preview(
    principal: Principal,
    path: CorrectedStream,
    read: () => unknown,
  ): Promise<CorrectionPreview> {
    const { catalog } = this.#deps
    const handle = findStream(catalog, principal, path, 'POST')
    const asked = readCorrection(catalog, handle, read())
    const sampleCount = await this.#count(asked)
    const { rule, from, until } = asked
    const samples = sampleCount === 0 ? [] : await this.#ends(asked)
    const canUndo = this.#canUndo(handle, sampleCount)
    return { action: rule.action, from, until, sampleCount, canUndo, samples }
  }

  /** Begins a correction; answers at once with its job. Reads as preview. */
  async start(author: Author, path: CorrectedStream, read: () => unknown): Promise<JobRecord> {
    const { catalog, clock, jobs } = this.#deps
    const handle = findStream(catalog, author, path, 'POST')
    const asked = readCorrection(catalog, handle, read())
    const sampleCount = await this.#count(asked)
    if (sampleCount === 0) {
      const what = 'There are no samples in this range'
      refuse('bad_input', { what, field: 'correction.from' })
    }
    const { rule, from, until } = asked
    const start = clock.now()
    const correction: JobCorrection = {
      ...rule,
      sampleCount,
      undoUntil: this.#canUndo(handle, sampleCount) ? start + UNDO_MS : null,
      undoneBy: '',
      undoOf: '',
      leftCount: 0,
    }
    const place = { componentUid: path.componentUid, streamUid: path.uid }
    const job = beginJob({
      uid: newUid(),
      kind: 'correct',
      orgUid: author.orgUid,
      ...place,
      from,
      until,
      start,
      total: sampleCount,
      correction,
    })
    const shown =
      rule.action === 'delete' ? 'delete' : `${rule.action} ${JSON.stringify(rule.value)}`
    const detail = `${shown}, sd ${from}, ed ${until}, ${sampleCount} samples`
    const change = {
      kind: 'samples',
      verb: 'corrected',
      uid: path.uid,
      detail: detail.slice(0, 500),
    }
    return await jobs.begin(job, planChange(author, change))
  }

  /** The corrections of a stream, the latest first. */
  async list(
    principal: Principal,
    path: CorrectedStream,
  ): Promise<{ readonly records: readonly JobRecord[]; readonly totalCount: number }> {
    const { book, catalog, jobs } = this.#deps
    findStream(catalog, principal, path, 'GET')
    const records: JobRecord[] = []
    for await (const job of book.walk(principal.orgUid)) {
      if (job.kind !== 'correct' || job.streamUid !== path.uid) continue
      records.push(showJob(jobs.current(job)))
      if (records.length === LISTED_MAX) break
    }
    return { records, totalCount: records.length }
  }

  /** Begins to put samples back as they were before a correction. */
  async undo(author: Author, path: CorrectedStream, uid: string): Promise<JobRecord> {
    const { book, catalog, clock, jobs } = this.#deps
    findStream(catalog, author, path, 'POST')
    const job = await book.find(author.orgUid, uid)
    if (job?.kind !== 'correct' || job.streamUid !== path.uid || job.correction === undefined) {
      refuse('not_found', { what: `Cannot find correction "${uid.slice(0, 60)}" of this stream` })
    }
    const { correction } = job
    const start = clock.now()
    if (jobs.current(job).status === 'RUNNING') {
      refuse('conflict', {
        what: 'The correction is still running. Cancel it, or wait for its end',
      })
    }
    if (correction.undoneBy !== '')
      refuse('conflict', { what: 'The correction was undone already' })
    if (correction.undoUntil === null || correction.undoUntil <= start) {
      const why = correction.undoUntil === null ? 'it has too many samples' : '24 hours have passed'
      refuse('conflict', { what: `The correction cannot be undone: ${why}` })
    }
    const sampleCount = (job.blocks ?? []).reduce((sum, { count }) => sum + count, 0)
    const undo = beginJob({
      uid: newUid(),
      kind: 'undo',
      orgUid: author.orgUid,
      componentUid: job.componentUid,
      streamUid: job.streamUid,
      from: job.from,
      until: job.until,
      start,
      total: sampleCount,
      correction: { ...correction, sampleCount, undoUntil: null, undoOf: uid, leftCount: 0 },
    })
    const detail = `undo of ${uid}, sd ${job.from}, ed ${job.until}, ${sampleCount} samples`
    const change = { kind: 'samples', verb: 'restored', uid: path.uid, detail }
    return await jobs.begin(undo, planChange(author, change))
  }

  #canUndo(handle: StreamHandle, sampleCount: number): boolean {
    // The bodies of deleted files are gone.
    const isFile = this.#deps.catalog.index.valueCodeOf(handle) === VALUE_CODE.FILE
    return sampleCount <= UNDO_SAMPLES_MAX && !isFile
  }

  /** Counts the samples of a range; refuses when the values after it would not fit. */
  async #count({ handle, rule, valueType, from, until }: AskedCorrection): Promise<number> {
    if (from >= until) return 0
    const edges = Float64Array.of(from, until)
    const { count, numberCount, min, max } = await this.#deps.samples.fold(handle, edges)
    const isCalculated = rule.action === 'offset' || rule.action === 'scale'
    if (isCalculated && numberCount[0] > 0) {
      for (const extreme of [min[0], max[0]]) {
        requireFit(valueType, correctedValue(rule, extreme) as number)
      }
    }
    return count[0]
  }

  async #ends({
    handle,
    rule,
    valueType,
    from,
    until,
  }: AskedCorrection): Promise<CorrectionPreview['samples']> {
    const { samples } = this.#deps
    const first = await samples.range(handle, { from, until, limit: SHOWN, order: 'oldest_first' })
    const last = await samples.range(handle, { from, until, limit: SHOWN, order: 'latest_first' })
    const asRead = (stored: number | string) => (valueType === 'BOOLEAN' ? stored !== 0 : stored)
    const shown = new Map<number, number | string>()
    for (const { count, times, numbers, texts } of [first, last]) {
      for (let at = 0; at < count; at++) shown.set(times[at], texts?.[at] ?? numbers[at])
    }
    return [...shown]
      .sort(([a], [b]) => a - b)
      .map(([time, before]) => {
        const after = correctedValue(rule, before)
        return {
          time,
          before: asRead(before),
          after: after === undefined ? null : asRead(after),
        }
      })
  }
}
