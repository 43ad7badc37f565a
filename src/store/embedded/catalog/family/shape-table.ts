/** The shapes that many rows share, each kept in two tables: what one row lost would be lost to a fleet. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { CatalogDamaged } from '../../../catalog-port.ts'
import { readChecked } from '../catalog-checks.ts'
import type { NumberedShape } from './family-page.ts'
import { Shape } from './shape.ts'

/** Some megabytes in memory; beyond, documents are written with their shape. */
const SHAPES_MAX = 20_000
/** A shape is shared once so many documents have had it; those before hold it themselves. */
const USES_MIN = 4
/** Shapes whose uses are counted at a time. */
const CANDIDATES_MAX = 10_000

/** The tables that hold each shape. */
export const SHAPE_TABLES: readonly string[] = ['shape', 'shape_again']

/** The checksum of a shape. */
export function checkOfShape(number: number, text: string): number {
  return crc32(`${number}\n${text.toWellFormed()}`)
}

/** The shapes by their numbers, read when first asked for and kept: a number never changes its meaning. */
export class ShapeReader {
  readonly #selects: readonly StatementSync[]
  readonly #known = new Map<number, NumberedShape>()

  constructor(db: DatabaseSync) {
    this.#selects = SHAPE_TABLES.map((table) =>
      db.prepare(`SELECT text, crc FROM ${table} WHERE number = ?`),
    )
  }

  /** Forgets what was read in a transaction that came to nothing. */
  forget(): void {
    this.#known.clear()
  }

  /** The shape of a number; throws CatalogDamaged when neither table tells it. */
  readonly of = (number: number): NumberedShape => {
    const known = this.#known.get(number)
    if (known !== undefined) return known
    for (const select of this.#selects) {
      const text = readWhole(select, number)
      if (text === undefined) continue
      const shape = { number, shape: new Shape(text) }
      this.#known.set(number, shape)
      return shape
    }
    throw new CatalogDamaged(`shape ${number} of components and streams does not check`)
  }
}

function readWhole(select: StatementSync, number: number): string | undefined {
  try {
    const row = readChecked(`shape ${number}`, () => select.get(number))
    if (typeof row?.text !== 'string' || checkOfShape(number, row.text) !== row.crc)
      return undefined
    return row.text
  } catch (error) {
    // The other table may have it.
    if (error instanceof CatalogDamaged) return undefined
    throw error
  }
}

/** The writer's side: gives numbers to shapes that come again and again. */
export class ShapeWriter {
  readonly #reader: ShapeReader
  readonly #selectAll: StatementSync
  readonly #inserts: readonly StatementSync[]
  readonly #numbered = new Map<string, NumberedShape>()
  readonly #uses = new Map<string, { count: number; readonly unnumbered: NumberedShape }>()
  #last = 0
  #isLoaded = false
  /** Whether a number was given since the last commit. */
  #hasGiven = false

  constructor(db: DatabaseSync) {
    this.#reader = new ShapeReader(db)
    const numbers = SHAPE_TABLES.map((table) => `SELECT number FROM ${table}`)
    this.#selectAll = db.prepare(numbers.join(' UNION '))
    this.#inserts = SHAPE_TABLES.map((table) =>
      db.prepare(`INSERT INTO ${table} (number, text, crc) VALUES (?, ?, ?)`),
    )
  }

  /** The shape of a number that a row names. */
  get of(): (number: number) => NumberedShape {
    return this.#reader.of
  }

  /** The shape of a text, numbered if it is shared; a use more of it is counted. */
  take(text: string): NumberedShape {
    if (!this.#isLoaded) this.#load()
    const numbered = this.#numbered.get(text)
    if (numbered !== undefined) return numbered
    const use = this.#uses.get(text)
    if (use === undefined) {
      if (this.#uses.size >= CANDIDATES_MAX) this.#uses.clear()
      const unnumbered = { number: 0, shape: new Shape(text) }
      this.#uses.set(text, { count: 1, unnumbered })
      return unnumbered
    }
    use.count += 1
    if (use.count < USES_MIN || this.#last >= SHAPES_MAX) return use.unnumbered
    return this.#number(text, use.unnumbered.shape)
  }

  /** Says that the transaction is committed. */
  settle(): void {
    this.#hasGiven = false
  }

  /** Forgets the numbers given in a transaction of which a part or all was rolled back. */
  forget(): void {
    if (!this.#hasGiven) return
    this.#numbered.clear()
    this.#reader.forget()
    this.#isLoaded = false
    this.#last = 0
  }

  #number(text: string, shape: Shape): NumberedShape {
    const number = this.#last + 1
    for (const insert of this.#inserts) insert.run(number, text, checkOfShape(number, text))
    this.#last = number
    this.#hasGiven = true
    const numbered = { number, shape }
    this.#numbered.set(text, numbered)
    this.#uses.delete(text)
    return numbered
  }

  #load(): void {
    this.#isLoaded = true
    for (const row of this.#selectAll.all()) {
      const number = row.number as number
      this.#last = Math.max(this.#last, number)
      try {
        const known = this.#reader.of(number)
        this.#numbered.set(known.shape.text, known)
      } catch (error) {
        // Nothing more is written with it; the scrub tells of it.
        if (!(error instanceof CatalogDamaged)) throw error
      }
    }
  }
}
