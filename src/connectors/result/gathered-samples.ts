/**
 * Collects the samples of a run between the INSERTs and the store. They are written to disk in sorted stretches, and
 * read back by component, time, and order of arrival. Only a few blocks are in memory.
 */
import type { FileHandle } from 'node:fs/promises'
import { deserialize, serialize } from 'node:v8'
import { nextIteration } from '../../base/index.ts'
import type { IncomingSamples } from '../../feed/index.ts'
import type { RunStreams } from './run-streams.ts'
import { BlockBuilder, blockOf, type SampleBlock } from './sample-block.ts'
import { openUnnamedFile } from './unnamed-file.ts'

/** Samples that are read at a time from each stretch. */
const BLOCK_SAMPLES = 1_000
const BLOCK_TEXT_CHARS = 200_000
/** Samples that are given before others have their turn. */
const SAMPLES_PER_SLICE = 10_000

/** Takes one sample of a block; what it returns is pending while it can take no more. */
type TakeSample = (block: SampleBlock, at: number) => void | Promise<void>

interface StoredBlock {
  readonly from: number
  readonly bytes: number
}

/** Samples that are given back in order, as often as asked. */
export class GatheredSamples {
  /** The names of the INSERTs, for messages, by their numbers. */
  readonly names: string[] = []
  readonly #streams: RunStreams
  readonly #now: number
  readonly #file: FileHandle
  readonly #stretches: StoredBlock[][] = []
  #bytes = 0

  private constructor(file: FileHandle, streams: RunStreams, now: number) {
    this.#file = file
    this.#streams = streams
    this.#now = now
  }

  /** A file of a folder that shows nothing of it; a sample without a time is sorted as one of `now`. */
  static async open(folder: string, streams: RunStreams, now: number): Promise<GatheredSamples> {
    return new GatheredSamples(await openUnnamedFile(folder), streams, now)
  }

  /** Adds samples as a stretch of their own. */
  async add(samples: IncomingSamples): Promise<void> {
    const block = this.#numbered(samples)
    const order = Uint32Array.from({ length: samples.count }, (_, at) => at)
    order.sort((a, b) => this.#compare(block, a, block, b))
    const stretch: StoredBlock[] = []
    const builder = new BlockBuilder(BLOCK_SAMPLES)
    for (const at of order) {
      builder.addFrom(block, at, block.streams[at])
      if (builder.isFull || builder.textChars > BLOCK_TEXT_CHARS) {
        stretch.push(await this.#write(builder))
      }
    }
    if (builder.count > 0) stretch.push(await this.#write(builder))
    this.#stretches.push(stretch)
  }

  /** Gives every sample in order. */
  async each(take: TakeSample): Promise<void> {
    const heap: StretchReader[] = []
    for (const blocks of this.#stretches) {
      const reader = new StretchReader(this.#file, blocks)
      if (await reader.load()) heap.push(reader)
    }
    for (let at = (heap.length >> 1) - 1; at >= 0; at -= 1) this.#sink(heap, at)
    let given = 0
    while (heap.length > 0) {
      const [first] = heap
      const taking = take(first.block, first.at)
      if (taking !== undefined) await taking
      first.at += 1
      if (first.at === first.block.count && !(await first.load())) {
        const last = heap.pop()
        if (heap.length === 0 || last === undefined) return
        if (last !== first) heap[0] = last
      }
      this.#sink(heap, 0)
      given += 1
      if (given % SAMPLES_PER_SLICE === 0) await nextIteration()
    }
  }

  async close(): Promise<void> {
    await this.#file.close()
  }

  #numbered(samples: IncomingSamples): SampleBlock {
    const { count } = samples
    const streams = new Uint32Array(count)
    for (const { compId = '', streamId = '', samples: own, ...rules } of samples.open) {
      const number = this.#streams.take({ ...rules, compId, streamId })
      for (const at of own) streams[at] = number
    }
    const statements = new Uint16Array(count)
    const rows = new Float64Array(count)
    samples.runs.forEach(({ from, name }, run) => {
      if (this.names.at(-1) !== name) this.names.push(name)
      const until = samples.runs[run + 1]?.from ?? count
      for (let at = Math.max(0, from); at < until; at += 1) {
        statements[at] = this.names.length - 1
        rows[at] = at - from + 1
      }
    })
    return blockOf(samples, { streams, statements, rows })
  }

  async #write(builder: BlockBuilder): Promise<StoredBlock> {
    const bytes = serialize(builder.view())
    builder.clear()
    const stored = { from: this.#bytes, bytes: bytes.length }
    await this.#file.write(bytes, 0, bytes.length, stored.from)
    this.#bytes += bytes.length
    return stored
  }

  /** Moves a reader down to where it belongs: the first sample of all is on top. */
  #sink(heap: StretchReader[], from: number): void {
    let at = from
    for (;;) {
      let least = at
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && this.#isBefore(heap[child], heap[least])) least = child
      }
      if (least === at) return
      const moved = heap[at]
      heap[at] = heap[least]
      heap[least] = moved
      at = least
    }
  }

  #isBefore(a: StretchReader, b: StretchReader): boolean {
    return this.#compare(a.block, a.at, b.block, b.at) < 0
  }

  #compare(a: SampleBlock, at: number, b: SampleBlock, bt: number): number {
    const { componentOf } = this.#streams
    return (
      componentOf[a.streams[at]] - componentOf[b.streams[bt]] ||
      this.timeOf(a, at) - this.timeOf(b, bt) ||
      a.statements[at] - b.statements[bt] ||
      a.rows[at] - b.rows[bt]
    )
  }

  /** When a sample is, for its place among the others. */
  timeOf({ times }: SampleBlock, at: number): number {
    return Number.isNaN(times[at]) ? this.#now : times[at]
  }
}

/** Reads a sorted stretch block by block. */
class StretchReader {
  block: SampleBlock
  at = 0
  readonly #file: FileHandle
  readonly #blocks: readonly StoredBlock[]
  #next = 0

  constructor(file: FileHandle, blocks: readonly StoredBlock[]) {
    this.#file = file
    this.#blocks = blocks
    this.block = new BlockBuilder(0).view()
  }

  /** Goes on to the next block; false at the end. */
  async load(): Promise<boolean> {
    const stored = this.#blocks[this.#next]
    if (stored === undefined) return false
    this.#next += 1
    const bytes = Buffer.allocUnsafe(stored.bytes)
    const { bytesRead } = await this.#file.read(bytes, 0, stored.bytes, stored.from)
    if (bytesRead !== stored.bytes) throw new Error('samples of a run have lost bytes')
    this.block = deserialize(bytes) as SampleBlock
    this.at = 0
    return true
  }
}
