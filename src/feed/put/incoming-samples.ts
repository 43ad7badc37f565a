import { requireCreatable } from '../../base/plain.ts'
import type { SeriesAddress } from '../../catalog/index.ts'
import type { Labels, StreamHandle } from '../../store/index.ts'
import { ColumnPool, freeRoom, type SampleRoom } from './column-pool.ts'
import { IdPairs } from './id-pairs.ts'

/** What an incoming value was written as, before its stream's type is known. */
export const VALUE_NUMBER = 0
export const VALUE_TEXT = 1
export const VALUE_NULL = 2
export const VALUE_FALSE = 3
export const VALUE_TRUE = 4
/** An empty element of a delimited list: null on numeric streams, "" on text streams. */
export const VALUE_EMPTY = 5
/** A number that its double, the nearest one, does not show exactly; its text is as it was sent. */
export const VALUE_LONG_NUMBER = 6
/** A double that is not finite; its text has its bits in 16 hex digits. Only doors send it. */
export const VALUE_SPECIAL = 7

/** A stream that the reader of a body could not resolve by itself, and the samples sent to it. */
export interface OpenTarget {
  /** Exactly one of compId and compUid is given. */
  readonly compId?: string
  readonly compUid?: string
  /** One of streamId, streamUid and position is given; none where a call names a compUid and nothing of it. */
  readonly streamId?: string
  readonly streamUid?: string
  /** Zero-based place in the component's definition order. */
  readonly position?: number
  /** What is said about creating this component alone; beats the call's options. */
  readonly compTmplId?: string
  readonly compName?: string
  readonly folder?: string
  /** Indexes of its samples, ascending. */
  readonly samples: number[]
}

/** A series that a door received and no stream is known of yet, and its samples. */
export interface OpenSeries {
  /** The labels exactly as they were received. */
  readonly series: Labels
  /** Labels that are not part of the series and follow its points. */
  moreLabels: Labels
  /** Whether its texts are stored only where they differ from the value before. */
  readonly isOnChange: boolean
  /** Where its stream is made unless an address rule says otherwise. */
  readonly address: SeriesAddress
  /** Indexes of its samples, ascending. */
  readonly samples: number[]
  /** Its stream, once it is found or made. */
  handle: StreamHandle | 0
}

/** How a component is made that only some samples of a call go to. */
export type TargetRules = Pick<OpenTarget, 'compTmplId' | 'compName' | 'folder'>

/** Samples that came together, from one on: how messages name them. */
export interface SampleRun {
  readonly from: number
  readonly name: string
}

/** What incoming samples were before their streams' types were put to them. */
export type KeptValues = Pick<
  IncomingSamples,
  'times' | 'numbers' | 'kinds' | 'texts' | 'isNumeric' | 'isTimed'
>

/** Shared by all calls of the thread. */
const pool = new ColumnPool()

const NO_RUNS: readonly SampleRun[] = []

const NO_ROOM: SampleRoom = {
  handles: new Uint32Array(0),
  times: new Float64Array(0),
  numbers: new Float64Array(0),
  kinds: new Uint8Array(0),
}

/**
 * Samples as columns while a call is read. handles[i] is 0 where the stream is not resolved; an open
 * target then lists i. times[i] is NaN where the server assigns the time. The plain data fields
 * survive a structured clone, so a worker can fill them.
 */
export class IncomingSamples {
  count = 0
  handles: Uint32Array
  times: Float64Array
  numbers: Float64Array
  kinds: Uint8Array
  texts: (string | undefined)[] | undefined
  open: OpenTarget[] = []
  /** The streams that a door knows by their series alone; only in samples that are judged one by one. */
  series: OpenSeries[] = []
  /** Texts that are stored only where they differ from the value before, ascending. */
  onChange: number[] = []
  /** How many entries at the start of `open` name their streams by IDs, each stream once. */
  namedOnce = 0
  /** How messages name a sample: by its place in one list, in the list of its stream, or as a row. */
  form: 'array' | 'lists' | 'rows' = 'array'
  /** Of the form `rows`, what the rows are of, ascending. */
  runs: readonly SampleRun[] = NO_RUNS
  /** How messages name a sample, where they are in another order than they came. */
  nameOf: ((index: number) => string) | undefined
  /** Whether every value so far is a number: most calls, and they need no look at `kinds`. */
  isNumeric = true
  /** Whether every sample so far brought its own time. */
  isTimed = true
  /** That of the index when streams were first looked up while the samples were read. */
  generation: number | undefined
  #room: SampleRoom

  constructor(capacity = 1) {
    this.#room = pool.take(capacity)
    const { handles, times, numbers, kinds } = this.#room
    this.handles = handles
    this.times = times
    this.numbers = numbers
    this.kinds = kinds
  }

  /** Adds a sample that is a number at a time of its own; the path of nearly every sample. */
  addNumber(handle: StreamHandle | 0, time: number, value: number): void {
    const at = this.count
    if (at === this.handles.length) this.#grow()
    this.handles[at] = handle
    // JSON has a minus zero, which no time is: the head would show it until a restart.
    this.times[at] = time + 0
    this.numbers[at] = value
    this.count = at + 1
  }

  /** Adds any sample; a NaN time when the server shall assign it. */
  add(
    handle: StreamHandle | 0,
    time: number,
    value: { kind: number; number: number; text: string | undefined },
  ): void {
    const at = this.count
    this.addNumber(handle, time, value.number)
    if (Number.isNaN(time)) this.isTimed = false
    if (value.kind === VALUE_NUMBER) return
    this.kinds[at] = value.kind
    this.isNumeric = false
    if (value.text === undefined) return
    this.texts ??= []
    this.texts[at] = value.text
  }

  /** Takes a sample out of what will be appended. */
  drop(index: number): void {
    this.kinds[index] = VALUE_NULL
    this.isNumeric = false
  }

  /** Takes the samples back that were added last, down to a count. */
  truncate(count: number): void {
    this.kinds.fill(0, count, this.count)
    if (this.texts !== undefined && this.texts.length > count) this.texts.length = count
    while ((this.onChange.at(-1) ?? -1) >= count) this.onChange.pop()
    this.count = count
  }

  /** Takes out the samples that are marked with 1; what `series` and `onChange` return holds no more. */
  remove(isOut: Uint8Array): void {
    const { handles, times, numbers, kinds, texts } = this
    let kept = 0
    let isNumeric = true
    for (let index = 0; index < this.count; index++) {
      if (isOut[index] === 1) continue
      handles[kept] = handles[index]
      times[kept] = times[index]
      numbers[kept] = numbers[index]
      kinds[kept] = kinds[index]
      if (kinds[index] !== VALUE_NUMBER) isNumeric = false
      if (texts !== undefined) texts[kept] = texts[index]
      kept += 1
    }
    this.truncate(kept)
    // Where only numbers are left their kinds are as those of a new column.
    this.isNumeric = isNumeric
    if (isNumeric) this.texts = undefined
  }

  /** A copy of all values as they are, for who may have to begin again with them. */
  keep(): KeptValues {
    const { count, times, numbers, kinds, texts, isNumeric, isTimed } = this
    return {
      times: times.slice(0, count),
      numbers: numbers.slice(0, count),
      kinds: kinds.slice(0, count),
      texts: texts?.slice(),
      isNumeric,
      isTimed,
    }
  }

  /** Makes all values what they were when they were kept. */
  restore(kept: KeptValues): void {
    this.times.set(kept.times)
    this.numbers.set(kept.numbers)
    this.kinds.set(kept.kinds)
    this.texts = kept.texts?.slice()
    this.isNumeric = kept.isNumeric
    this.isTimed = kept.isTimed
  }

  /**
   * Gives the columns to later calls and holds no sample from here on. Only for the owner, once
   * nobody reads the columns any more: not those who were handed the samples, nor a store.
   */
  release(): void {
    this.#giveBack()
    this.count = 0
    this.texts = undefined
    this.#use(NO_ROOM)
  }

  #grow(): void {
    this.#use(pool.grow(this.#room, this.isNumeric ? 0 : this.count))
  }

  #giveBack(): void {
    const room = this.#room
    if (room === NO_ROOM) return
    // Columns that came from another thread were never the pool's.
    if (this.handles !== room.handles) freeRoom(this)
    else pool.give(room, this.isNumeric ? 0 : this.count)
  }

  #use(room: SampleRoom): void {
    this.#room = room
    this.handles = room.handles
    this.times = room.times
    this.numbers = room.numbers
    this.kinds = room.kinds
  }
}

/** Gathers the samples of unresolved streams, one open target per stream and call. */
export class OpenTargets {
  readonly #pairs = new IdPairs()
  readonly #targets: OpenTarget[] = []
  readonly #samples: IncomingSamples
  readonly #targetsMax: number
  readonly #rules: TargetRules | undefined

  /** With the streams that a call may create, for who adds only streams that do not exist. */
  constructor(
    samples: IncomingSamples,
    targetsMax = Number.POSITIVE_INFINITY,
    rules?: TargetRules,
  ) {
    this.#samples = samples
    this.#targetsMax = targetsMax
    this.#rules = rules
  }

  /** Notes that the sample about to be added at `index` goes to the stream with these IDs. */
  addById(compId: string, streamId: string, index: number): void {
    const at = this.#pairs.take(compId, streamId)
    if (at < this.#targets.length) {
      this.#targets[at].samples.push(index)
      return
    }
    requireCreatable(at + 1, this.#targetsMax)
    const named = { compId, streamId, samples: [index] }
    const target = this.#rules === undefined ? named : { ...this.#rules, ...named }
    this.#targets.push(target)
    this.#samples.open.push(target)
    if (this.#samples.open.length === at + 1) this.#samples.namedOnce = at + 1
  }
}

/** How a message names a sample of a call. */
export function describeSample(samples: IncomingSamples, index: number): string {
  if (samples.nameOf !== undefined) return samples.nameOf(index)
  if (samples.form === 'array') return `sample ${index}`
  if (samples.form === 'rows') {
    const run = samples.runs.findLast(({ from }) => from <= index)
    return `row ${index - (run?.from ?? 0) + 1} of ${run?.name ?? 'the call'}`
  }
  const target = samples.open.find(({ samples: list }) => list.includes(index))
  const place = target?.samples.indexOf(index) ?? index
  const name = target?.streamId ?? target?.streamUid
  return name === undefined
    ? `value ${place} of "data" number ${(target?.position ?? 0) + 1}`
    : `value ${place} of "${name}"`
}
