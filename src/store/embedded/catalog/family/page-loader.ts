import { familyWordsOf, UID_WORDS } from '../../../../base/index.ts'
import type { PackedId, PackedIndexRow } from '../../../catalog-port.ts'
import { HAS_HEAD, type NumberedShape, type PackedDocument } from './family-page.ts'
import type { WalkedPage } from './family-walk-table.ts'
import { PackedValues } from './packed-values.ts'
import { Shape } from './shape.ts'

/** Which documents of a page are told, and to whom. */
export interface PageReceiver {
  readonly hasHeads: boolean
  readonly hasMembers: boolean
  onRow(row: PackedIndexRow): void
}

/** Where a page stands, of which the bytes are known. */
export interface PageBytes {
  readonly orgUid: string
  readonly ref: number
  readonly bytes: Buffer
  /** Where its JSON begins and ends. */
  readonly from: number
  readonly until: number
}

const NO_BYTES = { bytes: Buffer.alloc(0), from: 0, until: 0 }
const BLANK: PackedId = { text: '', ...NO_BYTES }

/** An index row that is filled anew for each head and member. */
class LoadedRow implements PackedIndexRow {
  orgUid = ''
  readonly headWords = new Uint32Array(UID_WORDS)
  ordinal = 0
  handle = 0
  indexStart = ''
  id: PackedId = BLANK
}

/** Tells the index rows of heads and members, straight from the bytes of a page that has been checked. */
export class PageLoader {
  readonly #shapeOf: (number: number) => NumberedShape
  readonly #row = new LoadedRow()
  readonly #values = new PackedValues()
  readonly #tail = { first: 0, last: 0 }

  /** `shapeOf` tells a shape by its number. */
  constructor(shapeOf: (number: number) => NumberedShape) {
    this.#shapeOf = shapeOf
  }

  /** Tells those of a page as it is stored; docs/format/catalog-db.md says what stands where. */
  loadBytes(page: PageBytes, receiver: PageReceiver): void {
    const values = this.#values
    const row = this.#row
    values.open(page.bytes, page.from, page.until)
    values.readTail(this.#tail)
    familyWordsOf(page.ref, this.#tail, row.headWords)
    row.orgUid = page.orgUid
    row.ordinal = 0
    row.handle = 0
    if ((values.number() & HAS_HEAD) !== 0) {
      values.skip()
      this.#readDocument()
      if (receiver.hasHeads) receiver.onRow(row)
    }
    if (!receiver.hasMembers) return
    let handle = 0
    let ordinal = 0
    while (values.hasMore) {
      const step = values.number()
      ordinal += step >> 1
      handle += values.number()
      if ((step & 1) !== 0) values.skip()
      this.#readDocument()
      row.ordinal = ordinal
      row.handle = handle
      receiver.onRow(row)
    }
  }

  /** Reads what the index needs of a head or member, and passes over the rest of it. */
  #readDocument(): void {
    const values = this.#values
    const row = this.#row
    const number = values.number()
    const shape = number === 0 ? new Shape(values.text()) : this.#shapeOf(number).shape
    if (shape.hasId) values.readText()
    row.indexStart = shape.index.text
    row.id = shape.hasId && shape.index.isOpen ? values.found : BLANK
    for (let left = shape.numberCount; left > 0; left--) values.skip()
  }

  /** Tells those of a page that was read in another way. */
  loadPage(page: WalkedPage, receiver: PageReceiver): void {
    const row = this.#row
    const first = Number.parseInt(page.tail.slice(0, 8), 16)
    const last = Number.parseInt(page.tail.slice(8), 16)
    familyWordsOf(page.ref, { first, last }, row.headWords)
    row.orgUid = page.orgUid
    if (page.head !== undefined && receiver.hasHeads) {
      this.#tell(page.head, { ordinal: 0, handle: 0 }, receiver)
    }
    if (!receiver.hasMembers) return
    for (const member of page.members) this.#tell(member, member, receiver)
  }

  #tell(
    { shape: { shape }, id }: PackedDocument,
    { ordinal, handle }: { readonly ordinal: number; readonly handle: number },
    receiver: PageReceiver,
  ): void {
    const row = this.#row
    row.ordinal = ordinal
    row.handle = handle
    row.indexStart = shape.index.text
    row.id = shape.index.isOpen ? { text: id, ...NO_BYTES } : BLANK
    receiver.onRow(row)
  }
}
