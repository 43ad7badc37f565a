import type { Principal } from '../../access/index.ts'
import { type Clock, epochMs, nextIteration, PreviewTurns } from '../../base/index.ts'
import { expressionTypeOf, INTERVAL, VALUE_TYPES } from '../../catalog/shape/index.ts'
import type { SampleStore, StreamHandle } from '../../store/index.ts'
import { readColumn, type ValueColumn } from '../condition/input-columns.ts'
import type { Condition } from '../condition/read-condition.ts'
import { inputSourceOf } from '../evaluate/input-source.ts'
import { type LoadDeps, loadContext } from '../evaluate/load-alert.ts'
import { LoadedAlert } from '../evaluate/loaded-alert.ts'
import { type SpanSamples, withHandle } from '../evaluate/span-samples.ts'
import type { WatchList } from '../evaluate/watch-list.ts'
import type { Alerts } from '../record/alerts.ts'
import { JudgeThread } from './judge-thread.ts'
import { type Firing, Simulation } from './simulate-states.ts'

/** How far back a preview looks. */
const LOOK_BACK_MS = 7 * 86_400_000
/** Streams that are shown: what a person looks through. */
const STREAMS_MAX = 20
/** Times that are shown of one stream. */
const FIRINGS_MAX = 100
/** The caller waits no longer; the rest is left out. As previews of formulas. */
const WAIT_MS_MAX = 10_000
const BLOCK_SAMPLES = 2_000

/** What would have happened on one stream. */
interface PreviewedStream {
  readonly streamUid: string
  readonly streamId: string
  readonly componentUid: string
  readonly componentId: string
  readonly sampleCount: number
  readonly firingCount: number
  /** The first ones. */
  readonly firings: readonly Firing[]
  /** Why the condition failed on a sample; blank where it did not. */
  readonly error: string
}

/** When an alert would have fired. */
interface AlertPreview {
  readonly from: number
  readonly until: number
  /** How many streams it watches. */
  readonly streamCount: number
  readonly streams: readonly PreviewedStream[]
  /** Whether streams or samples were left out. */
  readonly isCut: boolean
}

interface PreviewDeps extends LoadDeps {
  readonly alerts: Alerts
  readonly watches: WatchList
  readonly store: SampleStore
  readonly clock: Clock
}

/** Shows when an unsaved alert would have fired over the last week. */
export class AlertPreviews {
  readonly #deps: PreviewDeps
  readonly #thread = new JudgeThread()
  readonly #turns = new PreviewTurns()

  constructor(deps: PreviewDeps) {
    this.#deps = deps
  }

  /** Refuses what a save would refuse; stores nothing. One preview of an organization runs at a time. */
  async preview(principal: Principal, input: unknown): Promise<AlertPreview> {
    const alert = await this.#deps.alerts.draft(principal, input)
    const context = await loadContext(this.#deps, alert)
    const loaded = new LoadedAlert(alert, context, { ref: 0, version: 0 })
    return await this.#turns.run(principal.orgUid, () => this.#run(loaded))
  }

  async close(): Promise<void> {
    await this.#thread.close()
  }

  async #run(loaded: LoadedAlert): Promise<AlertPreview> {
    const { clock, watches } = this.#deps
    const latest = performance.now() + WAIT_MS_MAX
    const until = clock.now()
    const from = until - LOOK_BACK_MS
    const members = [...(await watches.membersOf(loaded))]
    const streams: PreviewedStream[] = []
    let isCut = members.length > STREAMS_MAX
    for (const handle of members.slice(0, STREAMS_MAX)) {
      if (!this.#deps.catalog.index.has(handle)) continue
      if (performance.now() > latest) {
        isCut = true
        break
      }
      const shown = await this.#previewStream(loaded, handle, { from, until, latest })
      isCut ||= shown.isCut
      streams.push(shown.stream)
    }
    return { from, until, streamCount: members.length, streams, isCut }
  }

  async #previewStream(
    loaded: LoadedAlert,
    handle: StreamHandle,
    span: { readonly from: number; readonly until: number; readonly latest: number },
  ): Promise<{ readonly stream: PreviewedStream; readonly isCut: boolean }> {
    const { index } = this.#deps.catalog
    const component = index.componentOf(handle)
    const active = loaded.activeTimesIn(component.timeZone)
    const bounds = { active, fromMs: span.from, firingsMax: FIRINGS_MAX }
    const simulation = new Simulation(loaded.alert, bounds)
    const shift = index.kindOf(handle) === INTERVAL ? 1 : 0
    let [sampleCount, error, isCut] = [0, '', false]
    for (let from = span.from; from < span.until; ) {
      const block = await this.#readBlock(handle, { from, until: span.until })
      if (block.count === 0) break
      const { holds, clears, failure } = await this.#judge(loaded, block)
      error ||= failure ?? ''
      for (let row = 0; row < block.count; row += 1) {
        const time = block.times[row]
        const judged = {
          holds: holds[row] === 1,
          clears: clears === undefined || clears[row] === 1,
        }
        simulation.sample({ time, instant: time - shift }, judged)
      }
      sampleCount += block.count
      from = block.times[block.count - 1] + 1
      isCut = block.count === BLOCK_SAMPLES && performance.now() > span.latest
      if (block.count < BLOCK_SAMPLES || isCut) break
      await nextIteration()
    }
    if (!isCut) simulation.advance(span.until)
    const { firings, firingCount } = simulation
    const stream = {
      streamUid: index.streamUid(handle),
      streamId: index.streamIdOf(handle),
      componentUid: component.uid,
      componentId: component.compId,
      sampleCount,
      firingCount,
      firings,
      error,
    }
    return { stream, isCut }
  }

  async #readBlock(
    handle: StreamHandle,
    { from, until }: { readonly from: number; readonly until: number },
  ): Promise<SpanSamples> {
    const range = { from: epochMs(from), until: epochMs(until) }
    const query = { ...range, limit: BLOCK_SAMPLES, order: 'oldest_first' } as const
    return withHandle(handle, await this.#deps.store.range(handle, query))
  }

  async #judge(loaded: LoadedAlert, block: SpanSamples) {
    const { index } = this.#deps.catalog
    const value = expressionTypeOf(VALUE_TYPES[index.valueCodeOf(block.handle)])
    const { timeZone: timeZoneId } = index.componentOf(block.handle)
    const { condition, clear } = loaded.conditionsFor(value, timeZoneId)
    const judge = async (one: Condition | undefined) => {
      if (one === undefined) return undefined
      const columns: ValueColumn[] = []
      const source = inputSourceOf(this.#deps, loaded, block.handle)
      for (const input of one.inputs) columns.push(await readColumn(source, input, block))
      const types = { value, timeZoneId }
      return await this.#thread.judge({ text: one.text, types, columns, count: block.count })
    }
    const held = await judge(condition)
    const cleared = await judge(clear)
    return {
      holds: held?.holds ?? new Uint8Array(block.count),
      clears: cleared?.holds,
      failure: held?.failure ?? cleared?.failure,
    }
  }
}
