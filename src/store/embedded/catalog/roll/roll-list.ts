/** Lists that merge components of the roll with others, from any place on without reading what comes before it. */
import { CatalogDamaged } from '../../../catalog-port.ts'
import { compareTexts } from '../compare-texts.ts'
import { ID_END, type RollBlock, type RollReader } from './roll-read-table.ts'
import type { Roll } from './roll-rows-table.ts'

/** Pages of the roll that are passed over together. */
const BLOCKS_PER_GROUP = 256
/** Pages that a walk reads at a time. */
const BLOCKS_PER_STEP = 16
/** Sorts after every text. */
export const TEXT_END = new Uint8Array(0)

/** List keys from one up to another. */
export interface KeyRange {
  readonly low: string
  readonly high: string | Uint8Array
}

/** The rest of a list, which the roll does not hold, in the direction that is asked for. */
interface OtherListed {
  count(range: KeyRange): number
  refs(range: KeyRange, start: number, limit: number): number[]
}

/** What stands in a place of a list: a document by its number, below zero by its family's; or what is wrong there. */
export type Listed =
  | { readonly ref: number; readonly listKey: string | undefined }
  | { readonly what: string }

/** The components of a roll that a list shows. */
export interface RollSection {
  readonly scope: number
  readonly roll: Roll
  /** Their IDs are from one up to another. */
  readonly low: string
  readonly high: string
  /** IDs that are not shown, in their order. */
  readonly except: readonly string[]
}

/** The section of a roll whose list keys begin with a prefix, undefined when none can. */
export function sectionOf(
  roll: Roll,
  prefix: string,
): Pick<RollSection, 'low' | 'high'> | undefined {
  const { listKey } = roll.starts
  if (listKey.startsWith(prefix)) return { low: '', high: ID_END }
  if (!prefix.startsWith(listKey)) return undefined
  const low = prefix.slice(listKey.length)
  return { low, high: low + ID_END }
}

/** How many components of a section there are. */
export function countSection(reader: RollReader, section: RollSection): number {
  const { scope, roll, low, high, except } = section
  const [from, until] = [reader.rank(scope, roll, low), reader.rank(scope, roll, high)]
  return until - from - except.length
}

/** A place in a list, and how much of what follows it is wanted. */
interface After {
  readonly listKey: string
  readonly ref: number
  readonly limit: number
  /** Told of each page that does not check; what it lists is left out. */
  onLeftOut(what: string): void
}

/** The next components of a roll after a place in the list: behind a list key, and behind a number under the same. */
export function rolledAfter(
  reader: RollReader,
  scope: number,
  after: After,
): { readonly ref: number; readonly listKey: string }[] {
  const roll = reader.listedRollOf(scope)
  if (roll === undefined) return []
  const start = roll.starts.listKey
  const isInside = after.listKey.startsWith(start)
  if (!isInside && compareTexts(after.listKey, start) > 0) return []
  const id = isInside ? after.listKey.slice(start.length) : ''
  const found: { ref: number; listKey: string }[] = []
  for (let from = id; ; ) {
    const blocks = reader.blocksFrom(scope, from, BLOCKS_PER_STEP + 1)
    for (const block of blocks.slice(0, BLOCKS_PER_STEP)) {
      const page = reader.readIfWhole(roll, block, after.onLeftOut)
      if (page === undefined) continue
      for (let entry = page.seek(id); entry < page.count; entry++) {
        const [own, ref] = [page.id(entry), page.ref(entry)]
        if (own === id && ref <= after.ref) continue
        found.push({ ref, listKey: start + own })
        if (found.length === after.limit) return found
      }
    }
    if (blocks.length <= BLOCKS_PER_STEP) return found
    from = blocks[BLOCKS_PER_STEP].first
  }
}

/** A part of the list: IDs of the roll up to that of the next part, and whatever else is listed there. */
interface Part {
  readonly block: RollBlock
  /** IDs of it that are in the section. */
  readonly low: string
  readonly high: string
  readonly keys: KeyRange
}

/** Picks places of a list from a section of the roll and all else that is listed. */
export class RollPicker {
  readonly #reader: RollReader
  readonly #section: RollSection
  readonly #others: OtherListed
  readonly #isDescending: boolean
  readonly #found: Listed[] = []
  #skip: number
  #want: number

  constructor(
    reader: RollReader,
    section: RollSection,
    others: OtherListed,
    page: { readonly start: number; readonly limit: number; readonly isDescending: boolean },
  ) {
    this.#reader = reader
    this.#section = section
    this.#others = others
    this.#isDescending = page.isDescending
    this.#skip = page.start
    this.#want = page.limit
  }

  /** The places of the page, in order. */
  pick(): readonly Listed[] {
    let isAny = false
    for (const parts of this.#groups()) {
      isAny = true
      if (this.#want === 0) break
      this.#pickGroup(parts)
    }
    if (!isAny) this.#pickOthers({ low: '', high: TEXT_END })
    return this.#found
  }

  #pickGroup(parts: readonly Part[]): void {
    const ends = [parts[0].keys, parts[parts.length - 1].keys]
    const [last, first] = this.#isDescending ? ends : ends.toReversed()
    const others = this.#others.count({ low: first.low, high: last.high })
    const counts = parts.map((part) => this.#countOf(part))
    const total = counts.reduce((sum, count) => sum + count, others)
    if (total <= this.#skip) {
      this.#skip -= total
      return
    }
    for (const [at, part] of parts.entries()) {
      if (this.#want === 0) return
      this.#pickPart(part, counts[at], others > 0)
    }
  }

  #pickPart(part: Part, count: number, hasOthers: boolean): void {
    const others = hasOthers ? this.#others.count(part.keys) : 0
    if (count + others <= this.#skip) {
      this.#skip -= count + others
      return
    }
    const entries = this.#entriesOf(part, count)
    if (others === 0) {
      for (const entry of entries) this.#take(entry)
      return
    }
    const isDescending = this.#isDescending
    // Between two entries, before the first and after the last of them.
    let edge = isDescending ? part.keys.high : part.keys.low
    for (const entry of entries) {
      const key = 'what' in entry ? undefined : entry.listKey
      if (key !== undefined) {
        const range = isDescending ? { low: key, high: edge } : { low: String(edge), high: key }
        this.#pickOthers(range)
        edge = key
      }
      this.#take(entry)
    }
    this.#pickOthers(
      isDescending
        ? { low: part.keys.low, high: edge }
        : { low: String(edge), high: part.keys.high },
    )
  }

  #take(entry: Listed): void {
    if (this.#want === 0) return
    if (this.#skip > 0) {
      this.#skip -= 1
      return
    }
    this.#want -= 1
    this.#found.push(entry)
  }

  #pickOthers(range: KeyRange): void {
    if (this.#want === 0) return
    if (this.#skip > 0) {
      const count = this.#others.count(range)
      if (count <= this.#skip) {
        this.#skip -= count
        return
      }
    }
    const refs = this.#others.refs(range, this.#skip, this.#want)
    this.#skip = 0
    this.#want -= refs.length
    for (const ref of refs) this.#found.push({ ref, listKey: undefined })
  }

  /** How many entries of a part are shown; its page is read only where the section ends in it. */
  #countOf({ block, low, high }: Part): number {
    const { roll, except } = this.#section
    const hidden = except.filter((id) => id >= low && id < high).length
    const isWhole = block.first >= this.#section.low && high !== this.#section.high
    if (isWhole) return block.count - hidden
    try {
      const page = this.#reader.read(roll, block)
      return page.seek(high) - page.seek(low) - hidden
    } catch (error) {
      if (!(error instanceof CatalogDamaged)) throw error
      return block.count
    }
  }

  /** What a part shows of the roll; of a page that does not check, as many places as it had. */
  #entriesOf({ block, low, high }: Part, count: number): Listed[] {
    const { roll, except } = this.#section
    try {
      const page = this.#reader.read(roll, block)
      const entries: Listed[] = []
      for (let entry = page.seek(low); entry < page.seek(high); entry++) {
        const id = page.id(entry)
        if (except.includes(id)) continue
        entries.push({ ref: -page.ref(entry), listKey: roll.starts.listKey + id })
      }
      return this.#isDescending ? entries.reverse() : entries
    } catch (error) {
      if (!(error instanceof CatalogDamaged)) throw error
      return new Array(count).fill({ what: error.what })
    }
  }

  /** The parts of the section, many at a time, in the direction of the list. */
  *#groups(): Generator<readonly Part[]> {
    const { scope, low, high } = this.#section
    const count = BLOCKS_PER_GROUP
    if (this.#isDescending) {
      for (let end = high; ; ) {
        const blocks = this.#reader.blocksBefore(scope, end, count)
        const inside = blocks.findIndex(({ first }) => first <= low)
        const shown = inside < 0 ? blocks : blocks.slice(0, inside + 1)
        const isLast = inside >= 0 || blocks.length < count
        if (shown.length > 0) {
          yield shown.map((block, at) =>
            this.#part(block, shown[at - 1]?.first ?? end, isLast && at === shown.length - 1),
          )
        }
        if (isLast) return
        end = shown[shown.length - 1].first
      }
    }
    for (let start = low, isFirst = true; ; isFirst = false) {
      const blocks = this.#reader.blocksFrom(scope, start, count + 1)
      const shown = blocks.slice(0, count).filter(({ first }) => first < high)
      if (shown.length > 0) {
        yield shown.map((block, at) =>
          this.#part(block, blocks[at + 1]?.first ?? high, isFirst && at === 0),
        )
      }
      const next = blocks[count]
      if (next === undefined || next.first >= high) return
      start = next.first
    }
  }

  #part(block: RollBlock, nextFirst: string, isFirst: boolean): Part {
    const { roll, low, high } = this.#section
    const { listKey } = roll.starts
    const end = nextFirst < high ? nextFirst : high
    return {
      block,
      low: block.first > low ? block.first : low,
      high: end,
      keys: {
        low: isFirst ? '' : listKey + block.first,
        high: end === high ? TEXT_END : listKey + end,
      },
    }
  }
}
