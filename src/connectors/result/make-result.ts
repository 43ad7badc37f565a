/** From the samples of a run to a result of which every part was tried: what would be refused is refused here. */
import type { Principal } from '../../access/index.ts'
import {
  type EpochMs,
  type MemoryBudget,
  type MemoryShare,
  requireCreatable,
} from '../../base/index.ts'
import { VALUE_CODE } from '../../catalog/shape/index.ts'
import { type Feed, typeOfValue, VALUE_NULL } from '../../feed/index.ts'
import type { PutOptions } from '../../feed/put/index.ts'
import { type ImportedValues, judgeRows, LastValues, RowCounter } from './changed-rows.ts'
import type { GatheredSamples } from './gathered-samples.ts'
import { bytesOfPart, samplesOf } from './part-samples.ts'
import type { ResultFile, ResultPart } from './result-file.ts'
import type { RunStream, RunStreams } from './run-streams.ts'
import { BlockBuilder, type SampleBlock } from './sample-block.ts'
import { StreamForms } from './stream-forms.ts'

/** INSERT OR REPLACE replaces the samples it names, and none between them. */
export const PUT_OPTIONS: PutOptions = {
  creation: {},
  isAutofill: false,
  deriveStreamsMax: 0,
  deriveTimeoutMs: 0,
}

/** Texts that are put together at most. */
const PART_TEXT_CHARS = 4_000_000

interface ResultParts {
  readonly feed: Pick<Feed, 'tryPut' | 'catalog'>
  readonly budget: MemoryBudget
  readonly principal: Principal
  readonly now: EpochMs
  readonly signal: AbortSignal
  /** Samples that are put together at most. */
  readonly partSamples: number
}

/** What was gathered, and what it is compared with; undefined: all of it is stored. */
interface Gathered {
  readonly samples: GatheredSamples
  readonly streams: RunStreams
  readonly known: ImportedValues | undefined
  readonly rowsFetched: number
}

/** Writes the result of a run to its file and finishes it; refuses what a put would refuse, and then nothing is stored. */
export async function makeResult(
  parts: ResultParts,
  gathered: Gathered,
  file: ResultFile,
): Promise<void> {
  const { known, samples, streams, rowsFetched } = gathered
  const forms = new StreamForms(parts.feed.catalog.index, parts.principal.orgUid, streams.list)
  const judged =
    known === undefined ? undefined : await judgeRows(samples, streams, { known, forms })
  const lastValues = new LastValues(streams, forms)
  const rows = new RowCounter()
  const share = parts.budget.emptyShare()
  const writer = new PartWriter(parts, { ...gathered, forms, file, share })
  try {
    await samples.each((block, at) => {
      const stream = block.streams[at]
      const row = rows.rowOf(streams.componentOf[stream], samples.timeOf(block, at))
      if (judged === undefined) lastValues.note(block, at)
      else if (!judged.isChanged(row)) return
      return writer.add(block, at)
    })
    const all = { rowsIngested: rows.count, rowsSkipped: 0, imported: lastValues.end() }
    const { rowsIngested, rowsSkipped, imported } = judged ?? all
    await writer.end(imported, { rowsFetched, rowsIngested, rowsSkipped })
  } finally {
    share.release()
  }
}

/** A sample of a stream that has to be made or has no type, the one that says most of what type it needs. */
interface FirstSample {
  readonly type: 'DOUBLE' | 'STRING' | ''
  readonly block: SampleBlock
  readonly at: number
  readonly number: number
}

/** What parts are made of, where they go, and the memory that they may take. */
type WriterParts = Gathered & {
  readonly forms: StreamForms
  readonly file: ResultFile
  readonly share: MemoryShare
}

class PartWriter {
  readonly #parts: ResultParts
  readonly #about: WriterParts
  readonly #builder: BlockBuilder
  readonly #last: Float64Array
  /** Streams of the part, with their places in it. */
  #places = new Map<number, number>()
  /** Undefined for streams that are there and have a type. */
  readonly #firsts = new Map<number, FirstSample | undefined>()
  #firstCount = 0
  #count = 0

  constructor(parts: ResultParts, about: WriterParts) {
    this.#parts = parts
    this.#about = about
    this.#builder = new BlockBuilder(parts.partSamples)
    this.#last = new Float64Array(about.streams.list.length).fill(-1)
  }

  add(block: SampleBlock, at: number): void | Promise<void> {
    const stream = block.streams[at]
    const isNull = block.kinds[at] === VALUE_NULL
    const { isMissing, keepsNull } = this.#about.forms.of(stream)
    if (isNull && !keepsNull) {
      // In a part it would be assigned a time that nothing is stored at, and after a crash another might get it.
      if (isMissing) this.#noteFirst(this.#streamOf(stream), { type: '', block, at, number: -1 })
      return
    }
    const place = this.#places.getOrInsert(stream, this.#places.size)
    this.#builder.addFrom(block, at, place)
    if (!isNull) this.#last[stream] = this.#count
    this.#count += 1
    if (this.#builder.isFull || this.#builder.textChars > PART_TEXT_CHARS) return this.#flush()
  }

  async end(
    imported: ReadonlyMap<string, string>,
    counts: { rowsFetched: number; rowsIngested: number; rowsSkipped: number },
  ): Promise<void> {
    await this.#flush()
    const { file, samples } = this.#about
    const firsts = [...this.#firsts].filter(([, first]) => first !== undefined) as [
      number,
      FirstSample,
    ][]
    const builder = new BlockBuilder(firsts.length)
    const moved: number[] = []
    for (const [place, [, { block, at, number }]] of firsts.entries()) {
      builder.addFrom(block, at, place)
      if (number >= 0 && Number.isNaN(block.times[at])) moved.push(number)
    }
    const streams = firsts.map(([stream]) => this.#streamOf(stream))
    const first = { streams, names: samples.names, block: builder.view(), first: 0, moved }
    await this.#try(first)
    const summary = { ...counts, samples: this.#count, last: this.#last }
    await file.finish(first, imported, summary)
  }

  async #flush(): Promise<void> {
    const { file, samples } = this.#about
    if (this.#builder.count === 0) return
    const block = this.#builder.view()
    const streams = [...this.#places.keys()].map((stream) => this.#streamOf(stream))
    const first = this.#count - block.count
    const part: ResultPart = { streams, names: samples.names, block, first }
    await file.addPart(part)
    await this.#try(part)
    this.#builder.clear()
    this.#places = new Map()
  }

  /** Notes what the streams to be made need, and does what a put does up to where something is made. */
  async #try(part: ResultPart): Promise<void> {
    const { feed, now, principal, signal } = this.#parts
    const { share } = this.#about
    signal.throwIfAborted()
    await share.resize(bytesOfPart(part))
    const samples = samplesOf(part)
    if (samples.count === 0) return
    for (const [at, stream] of part.block.streams.entries()) {
      const type = typeOfValue(samples, at)
      this.#noteFirst(part.streams[stream], {
        type,
        block: part.block,
        at,
        number: part.first + at,
      })
    }
    await feed.tryPut(principal, { samples, options: PUT_OPTIONS, uploadTime: now, share })
  }

  #noteFirst(stream: RunStream, sample: FirstSample): void {
    const isKnown = this.#firsts.has(stream.number)
    const before = this.#firsts.get(stream.number)
    if (isKnown && before === undefined) return
    if (before !== undefined && (before.type === sample.type || before.type === 'STRING')) return
    if (before?.type === 'DOUBLE' && sample.type !== 'STRING') return
    if (!isKnown && this.#isTyped(stream)) {
      this.#firsts.set(stream.number, undefined)
      return
    }
    if (before === undefined) {
      this.#firstCount += 1
      const advice = 'The operator can raise WEIR_CREATE_MAX'
      requireCreatable(this.#firstCount, this.#parts.feed.catalog.createMax, advice)
    }
    // The block is filled again with the next part.
    const own = new BlockBuilder(1)
    own.addFrom(sample.block, sample.at, 0)
    this.#firsts.set(stream.number, { ...sample, block: own.view(), at: 0 })
  }

  #isTyped({ compId, streamId }: RunStream): boolean {
    const { feed, principal } = this.#parts
    const { index } = feed.catalog
    const component = index.resolveComponent(principal.orgUid, compId)
    const handle = component === undefined ? 0 : index.resolveStream(component, streamId)
    return handle !== 0 && index.valueCodeOf(handle) !== VALUE_CODE.NONE
  }

  #streamOf(number: number): RunStream {
    return this.#about.streams.list[number]
  }
}
