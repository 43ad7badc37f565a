/**
 * Reads the components and streams of a catalog.db of format 9 that share rows of tables family and family_page, in which
 * shapes stand for what their JSON has in common.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { countedUidOf } from '../../../../base/plain.ts'
import { CatalogDamaged } from '../../../ports/catalog-port.ts'
import type { JsonObject } from '../../../ports/document-key.ts'
import type { CatalogScopes } from '../catalog-scopes.ts'

/** A component or stream of format 9. */
export interface OldRecord {
  readonly uid: string
  readonly revision: number
  /** 0 for a component. */
  readonly handle: number
  readonly body: JsonObject
}

/** What a row of families holds. */
interface OldFamily {
  readonly scope: number
  readonly componentUid: string
  readonly component: OldRecord | undefined
  readonly streams: readonly OldRecord[]
}

const CHECK_DIGITS = 8
const HAS_COMPONENT = 1
const SHAPE_HAS_ID = 1
const ID_MARK = '\u0001'
const NUMBER_MARK = '\u0002'
const FIRST_MS = 1_577_836_800_000
const COUNTS_PER_MS = 4_096
const ROWS_PER_STEP = 500

/** What the JSON of a shape is made of: stretches between numbers, each between places of the ID. */
interface Shape {
  readonly hasId: boolean
  readonly pieces: readonly (readonly string[])[]
}

/** The rows of families, first all that may hold components, then all others. */
export class OldFamilies {
  readonly #scopes: CatalogScopes
  readonly #statements: ReturnType<typeof prepareAll>
  readonly #shapes = new Map<number, Shape>()

  constructor(db: DatabaseSync, scopes: CatalogScopes) {
    this.#scopes = scopes
    this.#statements = prepareAll(db)
  }

  *[Symbol.iterator](): Generator<OldFamily> {
    let ref = Number.MIN_SAFE_INTEGER
    for (;;) {
      const rows = this.#statements.firsts.all(ref, ROWS_PER_STEP)
      for (const row of rows) yield this.#read({ ...row, page: 0 })
      if (rows.length < ROWS_PER_STEP) break
      ref = rows[rows.length - 1].ref as number
    }
    let page = 0
    ref = Number.MIN_SAFE_INTEGER
    for (;;) {
      const rows = this.#statements.laters.all(ref, page, ROWS_PER_STEP)
      for (const row of rows) yield this.#read({ ...row, list_key: null })
      if (rows.length < ROWS_PER_STEP) break
      ref = rows[rows.length - 1].ref as number
      page = rows[rows.length - 1].page as number
    }
  }

  #read(row: Readonly<Record<string, unknown>>): OldFamily {
    const { ref, page, scope, list_key: listKey } = row as Record<string, number>
    const packed = String(row.packed)
    const json = packed.slice(CHECK_DIGITS)
    const place = `${this.#scopes.orgUidOf(scope)}\n${ref}\n${page}\n${listKey}`
    const check = crc32(`${place}\n${json}`).toString(16).padStart(CHECK_DIGITS, '0')
    if (!packed.startsWith(check)) {
      throw new CatalogDamaged(`row ${ref} of components, part ${page}, does not check`)
    }
    const values = (JSON.parse(json) as (string | number)[]).values()
    const next = <T extends string | number>(): T => values.next().value as T
    const componentUid = uidOf(ref, next<string>())
    const flags = next<number>()
    const component =
      (flags & HAS_COMPONENT) === 0
        ? undefined
        : { uid: componentUid, handle: 0, revision: next<number>(), body: this.#body(next) }
    const streams: OldRecord[] = []
    let [ordinal, handle] = [0, 0]
    for (let step = values.next(); step.done !== true; step = values.next()) {
      const code = step.value as number
      ordinal += code >> 1
      handle += next<number>()
      const revision = (code & 1) === 0 ? 1 : next<number>()
      const uid = countedUidOf(componentUid, ordinal)
      streams.push({ uid, handle, revision, body: this.#body(next) })
    }
    return { scope, componentUid, component, streams }
  }

  #body(next: <T extends string | number>() => T): JsonObject {
    const number = next<number>()
    const { hasId, pieces } = number === 0 ? shapeOf(next<string>()) : this.#shape(number)
    const id = hasId ? JSON.stringify(next<string>()).slice(1, -1) : ''
    const [first, ...others] = pieces
    let json = first.join(id)
    for (const piece of others) json += next<number>() + piece.join(id)
    return JSON.parse(json) as JsonObject
  }

  /** Each shape stands in two tables. */
  #shape(number: number): Shape {
    const known = this.#shapes.get(number)
    if (known !== undefined) return known
    for (const select of this.#statements.shapes) {
      const row = select.get(number)
      if (row === undefined || crc32(`${number}\n${row.text}`) !== row.crc) continue
      const shape = shapeOf(String(row.text))
      this.#shapes.set(number, shape)
      return shape
    }
    throw new CatalogDamaged(`shape ${number} of components and streams does not check`)
  }
}

/** A shape: flags and lengths, a semicolon, then list key, index entry, body and claims, one after the other. */
function shapeOf(text: string): Shape {
  const end = text.indexOf(';')
  const [flags, listKeyLength, indexLength, bodyLength] = text.slice(0, end).split(',').map(Number)
  const from = end + 1 + listKeyLength + indexLength
  const json = text.slice(from, from + bodyLength)
  return {
    hasId: (flags & SHAPE_HAS_ID) !== 0,
    pieces: json.split(NUMBER_MARK).map((piece) => piece.split(ID_MARK)),
  }
}

/** The UID of a component by its number, of time and count, and the random digits. */
function uidOf(number: number, random: string): string {
  const ms = (Math.floor(number / COUNTS_PER_MS) + FIRST_MS).toString(16).padStart(12, '0')
  const count = (number % COUNTS_PER_MS).toString(16).padStart(3, '0')
  return `${ms.slice(0, 8)}-${ms.slice(8)}-8${count}-${random.slice(0, 4)}-${random.slice(4)}000000`
}

function prepareAll(db: DatabaseSync) {
  const prepare = (sql: string): StatementSync => db.prepare(sql)
  return {
    firsts: prepare(`SELECT ref, scope, list_key, packed FROM family
      WHERE ref > ? ORDER BY ref LIMIT ?`),
    laters: prepare(`SELECT ref, page, scope, packed FROM family_page
      WHERE (ref, page) > (?, ?) ORDER BY ref, page LIMIT ?`),
    shapes: [
      prepare('SELECT text, crc FROM shape WHERE number = ?'),
      prepare('SELECT text, crc FROM shape_again WHERE number = ?'),
    ],
  }
}
