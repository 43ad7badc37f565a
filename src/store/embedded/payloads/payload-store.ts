import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { type EpochMs, nextIteration, Refusal } from '../../../base/index.ts'
import type { MovablePayloads, WholePayload } from '../../ports/move-port.ts'
import {
  type AssignedSpan,
  type KeptPayload,
  type NewPayload,
  type PayloadBounds,
  PayloadDamaged,
  type PayloadKey,
  type PayloadStore,
  type PayloadSummary,
  type RunOutcome,
  type RunSummary,
} from '../../ports/payload-port.ts'
import type { ScrubPass } from '../../ports/scrub-port.ts'
import { isDamagedFile } from '../damage/folder-damaged.ts'
import { readProgress } from '../damage/progress-file.ts'
import { writeSpans } from './assigned-spans.ts'
import { openPayloadView, PAYLOAD_FILE } from './open-payload-file.ts'
import { PayloadReadTable } from './payload-read-table.ts'
import { payloadUid, readEarlierRunUid, readPayloadUid } from './payload-uid.ts'
import { PayloadWriterLink } from './payload-writer-link.ts'
import { listSetAside, setPayloadsAside } from './set-aside-payloads.ts'

/** Enough to debug a connector; a body may have megabytes. */
const BOUNDS: PayloadBounds = { countMax: 1_000, bytesMax: 64 * 1024 * 1024 }

/** Numbers that a folder has counted up to; UIDs of a cluster may look as if they had greater ones. */
const COUNTED_END = 2 ** 32

/** Numbers of payloads that came in a millisecond; those of all times stay below 2^53. */
const NUMBERS_PER_MS = 1_024

/** Rows of a step of a scrub: bodies of some kilobytes are read and summed in a millisecond. */
const SCRUB_ROWS = 16

/** Why the newest may be gone. */
const WHY = 'its -wal file was taken away or is damaged, or it is from an older backup'

/** Where payloads are kept, and who hears of damage. */
interface PayloadStoreOptions {
  /** The data folder. */
  readonly folder: string
  readonly bounds?: PayloadBounds
  readonly onDamage?: (what: string) => void
}

/**
 * Opens the store over a data folder. The file is made by the first payload; one that cannot be read is
 * set aside, as the service needs it only to show past inputs of connectors.
 */
export async function openPayloadStore(
  options: PayloadStoreOptions,
): Promise<PayloadStore & MovablePayloads> {
  const store = new EmbeddedPayloadStore(options)
  try {
    await store.open()
    for (const what of listSetAside(options.folder)) options.onDamage?.(what)
    return store
  } catch (error) {
    await store.close()
    if (!isDamaged(error)) throw error
    const place = setPayloadsAside(options.folder)
    options.onDamage?.(`it cannot be read (${causeOf(error)}), and was moved to ${place}`)
    return new EmbeddedPayloadStore(options)
  }
}

/** The adapter over payloads.db: reads here, writes on a thread of their own. */
class EmbeddedPayloadStore implements PayloadStore, MovablePayloads {
  readonly #folder: string
  readonly #file: string
  readonly #bounds: PayloadBounds
  readonly #onDamage: (what: string) => void
  readonly #writer: PayloadWriterLink
  #view: DatabaseSync | undefined
  #table: PayloadReadTable | undefined
  #lastNumber = 0
  /** Why the file could not be opened, while it cannot. */
  #unopened: unknown
  #opening: Promise<void> | undefined

  constructor({ folder, bounds = BOUNDS, onDamage = () => {} }: PayloadStoreOptions) {
    this.#folder = folder
    this.#file = join(folder, PAYLOAD_FILE)
    this.#bounds = bounds
    this.#onDamage = onDamage
    this.#writer = new PayloadWriterLink({ folder, file: this.#file, bounds })
  }

  /** Opens the file when there is one; on a disk that cannot be written the first put tries again. */
  async open(): Promise<void> {
    const recorded = readProgress(this.#folder).payloadNumber
    // Numbers are not given twice, also where those who had them are lost.
    this.#lastNumber = recorded
    if (!existsSync(this.#file)) {
      if (recorded > 0) this.#onDamage('it is missing, though connectors were given payloads')
      return
    }
    try {
      await this.#writer.open()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      this.#unopened = error
      return
    }
    const last = this.#read()?.selectLast() ?? 0
    if (last < recorded)
      this.#onDamage(`it misses up to ${recorded - last} payloads that came last: ${WHY}`)
    this.#lastNumber = Math.max(last, recorded)
    this.#unopened = undefined
  }

  put(payload: NewPayload): { readonly uid: string; readonly landed: Promise<void> } {
    if (this.#unopened !== undefined) {
      this.#opening ??= this.#openLate()
      throw this.#unopened
    }
    this.#lastNumber += 1
    const number = this.#lastNumber
    const uid = payloadUid(payload.time, number)
    return { uid, landed: this.#writer.put({ ...payload, number }) }
  }

  async keepAssigned({ uid }: PayloadKey, spans: readonly AssignedSpan[]): Promise<void> {
    const place = readPayloadUid(uid)
    if (place === undefined) return
    await this.#writer.keepAssigned({ number: place.number, spans: writeSpans(spans) })
  }

  async settle({ uid }: PayloadKey, outcome: RunOutcome): Promise<void> {
    const place = readPayloadUid(uid)
    if (place !== undefined) await this.#writer.settle({ ...outcome, number: place.number })
  }

  async list(
    connectorUid: string,
    { start, limit }: { readonly start: number; readonly limit: number },
  ): Promise<{ payloads: PayloadSummary[]; totalCount: number }> {
    const table = this.#read()
    if (table === undefined) return { payloads: [], totalCount: 0 }
    const { countMax } = this.#bounds
    // Some more are there before the oldest go.
    const totalCount = Math.min(table.selectCount(connectorUid), countMax)
    const page = { start, limit: Math.max(0, Math.min(limit, countMax - start)) }
    const note = (what: string) => this.#onDamage(what)
    return { payloads: table.selectPage(connectorUid, page, note), totalCount }
  }

  async listRuns(
    connectorUid: string,
    { start, limit }: { readonly start: number; readonly limit: number },
  ): Promise<{ runs: RunSummary[]; totalCount: number }> {
    const table = this.#read()
    if (table === undefined) return { runs: [], totalCount: 0 }
    const { countMax } = this.#bounds
    const totalCount = Math.min(table.selectRunCount(connectorUid), countMax)
    const page = { start, limit: Math.max(0, Math.min(limit, countMax - start)) }
    return {
      runs: table.selectRuns(connectorUid, page, (what) => this.#onDamage(what)),
      totalCount,
    }
  }

  async get(connectorUid: string, uid: string): Promise<KeptPayload | undefined> {
    try {
      return this.#read()?.select(connectorUid, uid)
    } catch (error) {
      if (error instanceof PayloadDamaged) this.#onDamage(error.message)
      throw error
    }
  }

  async listUnsettled(after: string | undefined, limit: number): Promise<PayloadKey[]> {
    const number = after === undefined ? 0 : (readPayloadUid(after)?.number ?? 0)
    return this.#read()?.selectUnsettled(number, limit) ?? []
  }

  watchLeft(): void {
    // A folder has one process.
  }

  async listConnectors(): Promise<Pick<PayloadKey, 'orgUid' | 'connectorUid'>[]> {
    return this.#read()?.selectConnectors() ?? []
  }

  async deleteOf(connectorUid: string): Promise<void> {
    if (this.#lastNumber > 0) await this.#writer.delete(connectorUid)
  }

  async *everything(): AsyncGenerator<WholePayload> {
    const table = this.#read()
    for (const { orgUid, connectorUid } of table?.selectConnectors() ?? []) {
      for (const uid of table?.selectUids(connectorUid, this.#bounds.countMax) ?? []) {
        const kept = table?.select(connectorUid, uid)
        if (kept === undefined) throw new PayloadDamaged(`payload ${uid} cannot be found`)
        const number = readPayloadUid(uid)?.number ?? 0
        const earlier = (table?.selectEarlier(number) ?? []).flatMap((run) =>
          run.outcome === undefined ? [] : { uid: run.uid, outcome: run.outcome },
        )
        yield { ...kept, orgUid, connectorUid, earlier }
      }
      await nextIteration()
    }
  }

  async keepWhole(payload: WholePayload): Promise<void> {
    const counted = readPayloadUid(payload.uid)?.number ?? COUNTED_END
    const number = counted < COUNTED_END ? counted : this.#numberAt(payload.time)
    this.#lastNumber = Math.max(this.#lastNumber, number)
    const { orgUid, connectorUid, time, method, query, body, outcome } = payload
    await this.#writer.keepWhole({
      put: { number, orgUid, connectorUid, time, method, query, body },
      spans: writeSpans(payload.assigned),
      outcome,
      earlier: payload.earlier.map((run) => ({
        id: readEarlierRunUid(run.uid) ?? null,
        outcome: run.outcome,
      })),
    })
  }

  /** A number for a payload whose UID has none, by its time: payloads are in order of arrival. */
  #numberAt(time: EpochMs): number {
    const first = time * NUMBERS_PER_MS
    const last = this.#read()?.selectLast(first, first + NUMBERS_PER_MS) ?? 0
    return Math.max(first, last + 1)
  }

  async scrub(pass: ScrubPass): Promise<void> {
    const report = (what: string): void => {
      this.#onDamage(what)
      const nowhere = { handle: undefined, from: undefined, until: undefined }
      pass.onDamage({ part: 'payloads', what: `${PAYLOAD_FILE}: ${what}`, ...nowhere })
    }
    for (const what of listSetAside(this.#folder)) report(what)
    const table = this.#read()
    if (table === undefined) return
    let after = 0
    for (;;) {
      const rows = table.selectToCheck(after, SCRUB_ROWS)
      for (const { problem } of rows) if (problem !== undefined) report(problem)
      pass.onChecked(
        rows.length,
        rows.reduce((sum, { bytes }) => sum + bytes, 0),
      )
      if (!(await pass.mayGoOn())) return
      if (rows.length < SCRUB_ROWS) break
      after = rows[rows.length - 1].number
    }
    const { rows, indexed } = table.selectCounts()
    if (rows !== indexed) report(`the index knows ${indexed} of ${rows} payloads`)
  }

  async close(): Promise<void> {
    await this.#opening
    // The reader goes first: the last connection to close tidies up the write-ahead log.
    this.#view?.close()
    this.#view = undefined
    this.#table = undefined
    await this.#writer.close()
  }

  /** Without what the file holds no number can be given: the call is refused, and the next one may find it open. */
  async #openLate(): Promise<void> {
    try {
      await this.open()
    } catch (error) {
      this.#unopened = error
    } finally {
      this.#opening = undefined
    }
  }

  /** The table, once the writer has seen to the file. */
  #read(): PayloadReadTable | undefined {
    if (this.#table !== undefined) return this.#table
    if (!this.#writer.hasOpened) return undefined
    this.#view = openPayloadView(this.#file)
    this.#table = new PayloadReadTable(this.#view)
    return this.#table
  }
}

function isDamaged(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isDamagedFile(cause)) return true
  }
  return false
}

/** What led to an error in the first place. */
function causeOf(error: unknown): string {
  let first = error
  while (first instanceof Error && first.cause !== undefined) first = first.cause
  return first instanceof Error ? first.message : String(first)
}
