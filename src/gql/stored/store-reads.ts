import { type MemoryBudget, nextIteration } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import type { InputBatch } from '../../sql/index.ts'
import type { SampleStore } from '../../store/index.ts'
import type { GqlRun, StoredReads, StoredRequest } from '../gql-run.ts'
import { type Asked, BadSetting, readAsked } from './asked-rows.ts'
import { findAskedStreams } from './asked-streams.ts'
import { readComponentRows, rowBatch } from './component-rows.ts'
import { readAhead } from './read-ahead.ts'
import { aheadOf, type ReadContext, readContext } from './read-context.ts'
import { refuseNotIncluded, refuseRead, SampleBudget } from './sample-budget.ts'
import type { ShowSample } from './sample-cells.ts'
import { readSampleRows } from './sample-rows.ts'
import { readStatisticRows } from './statistic-rows.ts'
import { STORED_TABLES } from './stored-tables.ts'
import { readStreamRows, STREAMS_PER_SLICE, type StreamRow, streamCell } from './stream-cells.ts'
import { readSumRows } from './sum-rows.ts'
import { TextShare } from './text-share.ts'

/** What stored tables are read from. */
interface StoreReadsDeps {
  readonly catalog: Catalog
  readonly store: SampleStore
  readonly budget: MemoryBudget
  readonly showFile: ShowSample
  /** The most rows of stored data that one run is handed. */
  readonly rowsMax: number
  /** Whether an organization may read stored data by SQL. */
  readonly isIncluded: (orgUid: string) => boolean
}

/** Hands STREAM, SAMPLE and COMPONENT to runs, as far as their callers may read them. */
export class StoreReads implements StoredReads {
  readonly tables = STORED_TABLES
  readonly #deps: StoreReadsDeps
  readonly #budgets = new WeakMap<GqlRun, SampleBudget>()

  constructor(deps: StoreReadsDeps) {
    this.#deps = deps
  }

  /** Refuses a run whose organization is switched off. */
  require({ organizationUid }: GqlRun): void {
    if (!this.#deps.isIncluded(organizationUid)) refuseNotIncluded()
  }

  /** The rows of a table; a reader that stops ends the reading. */
  async *open({ read, wanted, run }: StoredRequest): AsyncGenerator<InputBatch> {
    const { catalog, store, budget, showFile } = this.#deps
    const place = { sql: run.sql, place: read.place }
    const memory = new TextShare(budget.emptyShare())
    try {
      const asked = askedOf(() => readAsked(read, wanted), place)
      const context = readContext({
        deps: { catalog, store, showSample: showFile, memory },
        principal: run.principal,
        asked,
        budget: this.#budgetOf(run),
        memory,
        place,
        now: run.now,
        onRead: (handle, amount) => {
          if (run.onHanded === undefined) return
          const { uid: componentUid, compId } = catalog.index.componentOf(handle)
          const streamId = catalog.index.streamIdOf(handle)
          run.onHanded({ componentUid, compId, streamId, amount })
        },
      })
      for await (const batch of rowsOf(context)) {
        run.signal?.throwIfAborted()
        yield batch
      }
    } finally {
      memory.release()
    }
  }

  #budgetOf(run: GqlRun): SampleBudget {
    return this.#budgets.getOrInsertComputed(run, () => new SampleBudget(this.#deps.rowsMax))
  }
}

function askedOf(read: () => Asked, place: Parameters<typeof refuseRead>[0]): Asked {
  try {
    return read()
  } catch (error) {
    if (error instanceof BadSetting) refuseRead(place, error.message)
    throw error
  }
}

async function* rowsOf(context: ReadContext): AsyncGenerator<InputBatch> {
  const { asked, deps, principal } = context
  if (asked.of === 'COMPONENT') {
    yield* readComponentRows(context)
    return
  }
  const isNone = asked.isOfSamples && asked.times.from >= asked.times.until
  if (isNone) return
  for await (const handles of findAskedStreams({ catalog: deps.catalog, principal }, asked)) {
    const rows = await readStreamRows(deps, handles, asked.columns)
    if (!asked.isOfSamples) {
      context.budget.take(rows.length, asked, context.place)
      const cells = rows
        .filter(({ handle }) => deps.catalog.index.has(handle))
        .map((row) => asked.columns.map((column) => streamCell(deps, row, column) ?? null))
      yield rowBatch(cells, asked.columns.length)
      continue
    }
    if (asked.isSummed) {
      yield* readSumRows(context, rows)
      continue
    }
    yield* readSampled(context, rows)
  }
}

/** The samples or statistics of streams, one stream after the other. */
async function* readSampled(
  context: ReadContext,
  rows: readonly StreamRow[],
): AsyncGenerator<InputBatch> {
  const { asked, budget, deps, place } = context
  const { index } = deps.catalog
  const isOfStatistics = asked.sample?.cycleId !== undefined
  const read = async (row: StreamRow) => {
    const batches = isOfStatistics ? readStatisticRows(context, row) : readSampleRows(context, row)
    // A stream deleted meanwhile has no samples.
    return { batches, first: index.has(row.handle) ? await batches.next() : ENDED }
  }
  let at = 0
  for await (const [{ handle }, { batches, first }] of readAhead(rows, aheadOf(context, read))) {
    at += 1
    if (at % STREAMS_PER_SLICE === 0) await nextIteration()
    for (let page = first; !page.done; page = await batches.next()) {
      if (!index.has(handle)) break
      const { rowCount } = page.value
      budget.take(rowCount, asked, place)
      if (!isOfStatistics) context.onRead(handle, rowCount)
      yield page.value
    }
  }
}

const ENDED = { done: true, value: undefined } as const
