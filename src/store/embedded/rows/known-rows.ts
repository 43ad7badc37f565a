import { countAtMost } from '../../../base/plain.ts'
import { damagedIndex } from '../damage/folder-damaged.ts'
import { CHUNK_LEVEL, type ChunkPlace, RUN_LEVEL } from './chunk-row.ts'
import { rowSum, wrapRowSum } from './row-sum.ts'

/** A row as the index names it: id, level, start, last, count. */
export type IndexedRow = readonly [
  id: number,
  level: number,
  start: number,
  last: number,
  count: number,
]

/** Chunks whose sum is kept together: few to read for one of them, many to remember little. */
const CHUNKS_PER_BLOCK = 16

/** A block that has grown beyond this is parted. */
const BLOCK_MAX = 4 * CHUNKS_PER_BLOCK

/** Reads the chunks of one stream that begin in from ≤ start < until, from the index, by start. */
type ListChunks = (from: number, until: number) => IndexedRow[]

/**
 * The rows of a stream, verified by its sum to be complete. The last chunks and the runs are known one by one. For
 * earlier chunks only a sum per block is known, which verifies the rows that the index returns. A wrong row throws, as
 * a damaged file does.
 */
export class KnownRows {
  readonly #list: ListChunks
  /** Where blocks begin; the first takes in whatever is earlier. */
  #starts: number[] = []
  #sums: number[] = []
  #tail: ChunkPlace[] = []
  #runs: ChunkPlace[] = []
  #asideSum = 0
  /** The block that was read last, as a read of it comes twice. */
  #lastRead: { block: number; until: number; chunks: ChunkPlace[] } | undefined

  /** Takes rows in the order of level and start. */
  constructor(rows: readonly IndexedRow[], list: ListChunks) {
    this.#list = list
    this.#take(rows)
    this.#settle()
  }

  /** What all rows add up to. */
  get sum(): number {
    let sum = wrapRowSum(this.#asideSum + sumOf(this.#tail, CHUNK_LEVEL))
    for (const block of this.#sums) sum = wrapRowSum(sum + block)
    return wrapRowSum(sum + sumOf(this.#runs, RUN_LEVEL))
  }

  /** How much is remembered, in rows. */
  get weight(): number {
    const single = this.#tail.length + this.#runs.length + (this.#lastRead?.chunks.length ?? 0)
    return 1 + this.#starts.length + single
  }

  /** Newest first. */
  get runs(): readonly ChunkPlace[] {
    return this.#runs
  }

  /** The latest chunk. */
  get lastChunk(): ChunkPlace | undefined {
    return this.#tail.at(-1)
  }

  /** Where the chunks that are known one by one begin. */
  get tailStart(): number {
    return this.#starts.length === 0 ? Number.NEGATIVE_INFINITY : this.#tail[0].start
  }

  /** Reloads the rows from the start of the tail on, and every row that is no chunk. */
  refresh(rows: readonly IndexedRow[]): void {
    this.#take(rows)
    this.#settle()
  }

  /** Chunks that begin before a time, latest first. */
  *backward(until: number): Generator<ChunkPlace> {
    for (let at = this.#tail.length - 1; at >= 0; at -= 1) {
      if (this.#tail[at].start < until) yield this.#tail[at]
    }
    for (let block = this.#blockOf(until); block >= 0; block -= 1) {
      for (const chunk of this.#read(block).reverse()) if (chunk.start < until) yield chunk
    }
  }

  /** Chunks that begin at a time or later, or reach over it, oldest first. */
  *forward(from: number): Generator<ChunkPlace> {
    const before = this.before(from)
    const first = before !== undefined && before.last >= from ? before.start : from
    for (let next = first; this.#starts.length > 0 && next < this.tailStart; ) {
      const block = this.#blockOf(next)
      next = this.#endOf(block)
      for (const chunk of this.#read(block)) if (chunk.start >= first) yield chunk
    }
    for (const chunk of this.#tail) if (chunk.start >= first) yield chunk
  }

  /** The chunk that begins at or before a time, nearest to it. */
  before(time: number): ChunkPlace | undefined {
    // Times are whole.
    const [nearest] = this.backward(time + 1)
    return nearest
  }

  /** The chunk that begins after a time, nearest to it. */
  after(time: number): ChunkPlace | undefined {
    for (const chunk of this.forward(time + 1)) if (chunk.start > time) return chunk
    return undefined
  }

  /** Takes in a row that is being written. */
  add(level: number, place: ChunkPlace): void {
    this.#lastRead = undefined
    if (level === RUN_LEVEL) this.#runs = [place, ...this.#runs].sort((a, b) => b.id - a.id)
    else if (level !== CHUNK_LEVEL) this.#addAside(rowSum({ ...place, level }))
    else if (place.start < this.tailStart) this.#addToBlock(place, 1)
    else {
      const at = this.#tail.findLastIndex(({ start }) => start < place.start) + 1
      this.#tail.splice(at, 0, place)
      this.#settle()
    }
  }

  /** Lets go of a row that is being deleted. */
  remove(level: number, place: ChunkPlace): void {
    this.#lastRead = undefined
    const isOther = ({ id }: ChunkPlace): boolean => id !== place.id
    if (level === RUN_LEVEL) this.#runs = this.#runs.filter(isOther)
    else if (level !== CHUNK_LEVEL) this.#addAside(-rowSum({ ...place, level }))
    else if (place.start < this.tailStart) this.#addToBlock(place, -1)
    else this.#removeFromTail(place)
  }

  #addAside(sum: number): void {
    this.#asideSum = wrapRowSum(this.#asideSum + sum)
  }

  #removeFromTail(place: ChunkPlace): void {
    this.#tail = this.#tail.filter(({ id }) => id !== place.id)
    const last = this.#starts.length - 1
    if (this.#tail.length > 0 || last < 0) return
    // The tail is never empty while there are blocks: it marks their end.
    for (let block = last; block >= 0 && this.#tail.length === 0; block -= 1) {
      this.#tail = this.#readUntil(block, Number.POSITIVE_INFINITY)
      this.#starts.length = block
      this.#sums.length = block
    }
  }

  #addToBlock(place: ChunkPlace, times: 1 | -1): void {
    const block = this.#blockOf(place.start)
    const sum = rowSum({ ...place, level: CHUNK_LEVEL })
    this.#sums[block] = wrapRowSum(this.#sums[block] + times * sum)
  }

  /** The block that holds a time; 0 for what is earlier than all. */
  #blockOf(time: number): number {
    if (this.#starts.length === 0) return -1
    return Math.max(0, countAtMost(this.#starts, time) - 1)
  }

  #endOf(block: number): number {
    return this.#starts[block + 1] ?? this.tailStart
  }

  #read(block: number): ChunkPlace[] {
    const found = this.#readUntil(block, this.#endOf(block))
    if (found.length > BLOCK_MAX) this.#split(block, found)
    return found
  }

  /** Parts a block that late samples have made long. */
  #split(block: number, chunks: readonly ChunkPlace[]): void {
    const parts: ChunkPlace[][] = []
    for (let at = 0; at < chunks.length; at += CHUNKS_PER_BLOCK) {
      parts.push(chunks.slice(at, at + CHUNKS_PER_BLOCK))
    }
    this.#starts.splice(block, 1, ...parts.map(([first]) => first.start))
    this.#sums.splice(block, 1, ...parts.map((part) => sumOf(part, CHUNK_LEVEL)))
    this.#lastRead = undefined
  }

  #readUntil(block: number, until: number): ChunkPlace[] {
    const known = this.#lastRead
    if (known?.block === block && known.until === until) return [...known.chunks]
    const from = block === 0 ? Number.NEGATIVE_INFINITY : this.#starts[block]
    const rows = this.#list(from, until)
    checkWhole(rows)
    const found = rows.map(placeOf)
    if (sumOf(found, CHUNK_LEVEL) !== this.#sums[block]) {
      throw damagedIndex('The index of samples.db does not find the rows of a stream')
    }
    this.#lastRead = { block, until, chunks: [...found] }
    return found
  }

  #take(rows: readonly IndexedRow[]): void {
    checkWhole(rows)
    this.#lastRead = undefined
    this.#tail = []
    this.#runs = []
    this.#asideSum = 0
    for (const row of rows) {
      const [id, level, start, last, count] = row
      if (level === CHUNK_LEVEL) this.#tail.push(placeOf(row))
      else if (level === RUN_LEVEL) this.#runs.push(placeOf(row))
      else this.#addAside(rowSum({ id, level, start, last, count }))
    }
    this.#runs.sort((a, b) => b.id - a.id)
    // An order that is wrong can have the right sum: what is between two chunks would be looked for elsewhere.
    const isAstray = (chunk: ChunkPlace, at: number): boolean =>
      at > 0 && chunk.start <= this.#tail[at - 1].last
    if (this.#tail.some(isAstray)) {
      throw damagedIndex('The index of samples.db has chunks of a stream out of order')
    }
  }

  /** Leaves one block to two in the tail. */
  #settle(): void {
    const whole = Math.floor(this.#tail.length / CHUNKS_PER_BLOCK) - 1
    for (let block = 0; block < whole; block += 1) {
      const at = block * CHUNKS_PER_BLOCK
      const chunks = this.#tail.slice(at, at + CHUNKS_PER_BLOCK)
      this.#starts.push(chunks[0].start)
      this.#sums.push(sumOf(chunks, CHUNK_LEVEL))
    }
    if (whole > 0) this.#tail = this.#tail.slice(whole * CHUNKS_PER_BLOCK)
  }
}

/** What is no whole number was never written, though NULL would add as much as 0 to a sum. */
function checkWhole(rows: readonly IndexedRow[]): void {
  for (const row of rows) {
    if (!row.every(Number.isSafeInteger)) throw damagedIndex('An entry of the index is no number')
  }
}

function placeOf([id, , start, last, count]: IndexedRow): ChunkPlace {
  return { id, start, last, count }
}

function sumOf(places: readonly ChunkPlace[], level: number): number {
  let sum = 0
  for (const { id, start, last, count } of places) {
    sum = wrapRowSum(sum + rowSum({ id, level, start, last, count }))
  }
  return sum
}
