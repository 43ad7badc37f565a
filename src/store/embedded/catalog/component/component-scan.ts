/**
 * Reads all components and streams for a start. SQLite makes one JSON array of each column of a block of rows: that
 * takes a third less time than a JavaScript array of each row, and the receiver wants columns.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { UID_WORDS } from '../../../../base/plain.ts'
import { definitionOfType } from '../../../fields/packed-fields.ts'
import { CatalogDamaged } from '../../../ports/catalog-port.ts'
import type { IndexReceiver, ScannedStreams } from '../../../ports/component-port.ts'
import type { CatalogScopes } from '../catalog-scopes.ts'
import { type ComponentKey, checkOfComponentKey, organizationCheck } from './component-row.ts'
import { ComponentGap, StreamGap } from './scan-gaps.ts'
import { checkOfStreamKey, type StreamKey, UID_DIGITS } from './stream-row.ts'
import type { TextTable } from './text-table.ts'
import { uidOfHex } from './uid-bytes.ts'

/** Rows of a block: some milliseconds. */
const BLOCK_ROWS = 2_000
const WORD_DIGITS = 8
const DIGIT_0 = 48
const LETTER_A = 97

type Definition = ScannedStreams['definitions'][number]

interface Organization {
  readonly orgUid: string
  readonly check: number
}

/** Who takes in what is read, and what cannot be. */
interface ScanReceiver extends Pick<IndexReceiver, 'onComponents' | 'onStreams'> {
  /** Reports damage to this number of components, whose numbers are among these. */
  onDamagedComponents(count: number, refs: readonly number[]): void
  /** Reports that streams of components with these numbers are damaged. */
  onDamagedStreams(components: readonly number[]): void
  /** The rest of a table cannot be read, or is not known. */
  onUnreadable(what: string): void
}

type Column = (string | number | null)[]

/** Where the table of streams is read on. */
interface StreamPlace {
  readonly component: number
  readonly ordinal: number
}

/** A scan of the two tables in blocks. */
export class IndexScan {
  readonly #scopes: CatalogScopes
  readonly #texts: TextTable
  readonly #receiver: ScanReceiver
  readonly #statements: ReturnType<typeof prepareAll>
  readonly #definitions = new Map<number | null, Map<number, Definition>>()
  readonly #organizations = new Map<number, Organization>()
  /** How many rows were read, also of those that do not check. */
  readonly read = { components: 0, streams: 0 }
  /** Where each table is read on; undefined at its end. */
  #component: number | undefined = 0
  #stream: StreamPlace | undefined = { component: 0, ordinal: 0 }
  readonly #componentGap = new ComponentGap()
  readonly #streamGap = new StreamGap()
  /** The last number that was given to a component. */
  readonly #lastRef: number
  /** Rows to be read one by one, because a block with them cannot be. */
  #singly = 0

  constructor(db: DatabaseSync, scopes: CatalogScopes, texts: TextTable, receiver: ScanReceiver) {
    this.#scopes = scopes
    this.#texts = texts
    this.#receiver = receiver
    this.#statements = prepareAll(db)
    this.#lastRef = Number((this.#statements.lastRef.get() as unknown as number[])?.[0] ?? 0)
  }

  /** Reads one block; false when there is none left. */
  step(): boolean {
    if (this.#component !== undefined) {
      this.#component = this.#readComponents(this.#component)
      if (this.#component === undefined) this.#closeComponentGap(this.#lastRef + 1)
    } else if (this.#stream !== undefined) {
      this.#stream = this.#readStreams(this.#stream)
      if (this.#stream === undefined) this.#closeStreamGap(this.#lastRef)
    }
    return this.#component !== undefined || this.#stream !== undefined
  }

  #readComponents(after: number): number | undefined {
    const columns = this.#block((rows) => this.#statements.components.get(after, rows))
    const what = `component number ${after + 1} or a later one cannot be read`
    if (columns === undefined) {
      const next = this.#key(() => this.#statements.nextComponent.get(after), what)
      if (next === undefined) return undefined
      this.read.components += 1
      this.#componentGap.add()
      return this.#inOrder(next[0] > after, what) ? next[0] : undefined
    }
    if (columns[0].length === 0) return undefined
    // A number that does not check may be out of order.
    const last = columns[0].reduce<number>((most, ref) => Math.max(most, Number(ref)), 0)
    this.#takeComponents(columns)
    return this.#inOrder(last > after, what) ? last : undefined
  }

  #readStreams(after: StreamPlace): StreamPlace | undefined {
    const { component, ordinal } = after
    const columns = this.#block((rows) => this.#statements.streams.get(component, ordinal, rows))
    const what = `streams of component number ${component} or a later one cannot be read`
    if (columns === undefined) {
      const next = this.#key(() => this.#statements.nextStream.get(component, ordinal), what)
      if (next === undefined) return undefined
      this.read.streams += 1
      this.#streamGap.add({ component: next[0] })
      const place = { component: next[0], ordinal: next[1] }
      return this.#inOrder(isBehind(place, after), what) ? place : undefined
    }
    const [components, ordinals] = columns as number[][]
    if (components.length === 0) return undefined
    let most = 0
    for (let at = 1; at < components.length; at++) {
      const isSame = components[at] === components[most]
      const isMore = isSame ? ordinals[at] > ordinals[most] : components[at] > components[most]
      if (isMore) most = at
    }
    const last = { component: components[most], ordinal: ordinals[most] }
    this.#takeStreams(columns)
    return this.#inOrder(isBehind(last, after), what) ? last : undefined
  }

  /** A table whose rows are not in order would be read for ever. */
  #inOrder(isInOrder: boolean, what: string): boolean {
    if (!isInOrder) this.#receiver.onUnreadable(`${what}: rows are not in order`)
    return isInOrder
  }

  /** The columns of a block; undefined for a single row that cannot be read as JSON. */
  #block(get: (rows: number) => unknown): Column[] | undefined {
    try {
      const columns = (get(this.#singly > 0 ? 1 : BLOCK_ROWS) as string[]).map(
        (column) => JSON.parse(column) as Column,
      )
      this.#singly = Math.max(0, this.#singly - 1)
      return columns
    } catch {
      if (this.#singly > 0) {
        this.#singly -= 1
        return undefined
      }
      this.#singly = BLOCK_ROWS
      return this.#block(get)
    }
  }

  /** The key of a row that cannot be read; undefined when the table cannot be read on. */
  #key(get: () => unknown, what: string): number[] | undefined {
    try {
      return get() as number[] | undefined
    } catch (error) {
      this.#receiver.onUnreadable(`${what}: ${(error as Error).message}`)
      return undefined
    }
  }

  /** Reports damaged components, before a number that is intact. */
  #closeComponentGap(before: number): void {
    const { count } = this.#componentGap
    const refs = this.#componentGap.close(before)
    if (refs === undefined) this.#receiver.onUnreadable('many components do not check')
    else if (count > 0) this.#receiver.onDamagedComponents(count, refs)
  }

  /** Reports damaged streams, before one of an intact component. */
  #closeStreamGap(component: number): void {
    const components = this.#streamGap.close(component, this.#lastRef)
    if (components === undefined) this.#receiver.onUnreadable('many streams do not check')
    else if (components.length > 0) this.#receiver.onDamagedStreams(components)
  }

  #takeComponents([refs, scopes, uids, ids, zones, checks]: Column[]): void {
    const uidWords = new Uint32Array(refs.length * UID_WORDS)
    const orgUids: string[] = []
    const timeZones: string[] = []
    let kept = 0
    for (let at = 0; at < refs.length; at++) {
      const key = { ref: refs[at], id: ids[at], zone: zones[at] } as Omit<ComponentKey, 'scope'>
      const { orgUid, check } = this.#organizationOf(scopes[at] as number)
      const words = kept * UID_WORDS
      readWords(String(uids[at]), uidWords, words)
      const isWhole =
        checkOfComponentKey(key, check, uidWords, words) === checks[at] &&
        key.ref > this.#componentGap.after
      const timeZone = isWhole ? this.#textOf(key.zone) : undefined
      if (timeZone === undefined) {
        this.#componentGap.add()
        continue
      }
      if (this.#componentGap.count > 0) this.#closeComponentGap(key.ref)
      this.#componentGap.after = key.ref
      refs[kept] = key.ref
      ids[kept] = key.id ?? ''
      orgUids.push(orgUid)
      timeZones.push(timeZone)
      kept += 1
    }
    this.read.components += refs.length
    refs.length = kept
    ids.length = kept
    this.#receiver.onComponents({
      refs: refs as number[],
      orgUids,
      uidWords: uidWords.subarray(0, kept * UID_WORDS),
      ids: ids as string[],
      timeZones,
    })
  }

  #takeStreams(columns: Column[]): void {
    const [componentRefs, ordinals, handles, ids, types, checks, unusuals] = columns
    const orders: number[] = []
    const uids = new Map<number, string>()
    const definitions: Definition[] = []
    let kept = 0
    for (let at = 0; at < handles.length; at++) {
      const [place, grid, uid] = (unusuals[at] || NOTHING_UNUSUAL) as Unusual
      const key = {
        component: componentRefs[at],
        ordinal: ordinals[at],
        handle: handles[at],
        id: ids[at],
        type: types[at],
        place,
        grid,
        uid,
      } as StreamKey
      const isWhole = checkOfStreamKey(key) === checks[at] && isBehind(key, this.#streamGap.after)
      const definition = isWhole ? this.#definitionOf(key.type, grid) : undefined
      if (definition === undefined) {
        this.#streamGap.add(key, isWhole ? undefined : (checks[at] as number))
        continue
      }
      if (this.#streamGap.isOpen) this.#closeStreamGap(key.component)
      this.#streamGap.after = key
      componentRefs[kept] = key.component
      ordinals[kept] = uid === null ? key.ordinal : 0
      handles[kept] = key.handle
      ids[kept] = key.id ?? ''
      if (uid !== null) uids.set(kept, uidOfHex(uid))
      orders.push(place ?? key.ordinal - 1)
      definitions.push(definition)
      kept += 1
    }
    this.read.streams += handles.length
    for (const column of [componentRefs, ordinals, handles, ids]) column.length = kept
    this.#receiver.onStreams({
      componentRefs: componentRefs as number[],
      ordinals: ordinals as number[],
      uids,
      handles: handles as number[],
      ids: ids as string[],
      orders,
      definitions,
    })
  }

  /** A text, undefined for one that does not check. */
  #textOf(number: number): string | undefined {
    try {
      return this.#texts.textOf(number)
    } catch (error) {
      if (!(error instanceof CatalogDamaged)) throw error
      return undefined
    }
  }

  /** The organization of a number with what its checksums begin with; of one that is none's they do not check. */
  #organizationOf(scope: number): Organization {
    const known = this.#organizations.get(scope)
    if (known !== undefined) return known
    const orgUid = this.#scopes.has(scope) ? this.#scopes.orgUidOf(scope) : ''
    const made = { orgUid, check: organizationCheck(scope, orgUid) }
    this.#organizations.set(scope, made)
    return made
  }

  #definitionOf(type: number, grid: number | null): Definition | undefined {
    // Nearly all have no grid, and texts as keys take a tenth of a start.
    const known = this.#definitions.get(grid)?.get(type)
    if (known !== undefined) return known
    const text = grid === null ? '' : this.#textOf(grid)
    if (text === undefined) return undefined
    const made = definitionOfType(type, text)
    const byType = this.#definitions.get(grid) ?? new Map<number, Definition>()
    this.#definitions.set(grid, byType.set(type, made))
    return made
  }
}

function isBehind(place: StreamPlace, other: StreamPlace): boolean {
  if (place.component !== other.component) return place.component > other.component
  return place.ordinal > other.ordinal
}

type Unusual = readonly [place: number | null, grid: number | null, uid: string | null]
const NOTHING_UNUSUAL: Unusual = [null, null, null]

/** Puts the words of a UID of 32 hex digits in their places. */
function readWords(hex: string, into: Uint32Array, at: number): void {
  for (let word = 0, from = 0; word < UID_WORDS; word++, from += WORD_DIGITS) {
    let value = 0
    for (let digit = from; digit < from + WORD_DIGITS; digit++) {
      const code = hex.charCodeAt(digit)
      value = (value << 4) | (code < LETTER_A ? code - DIGIT_0 : code - LETTER_A + 10)
    }
    into[at + word] = value
  }
}

function prepareAll(db: DatabaseSync) {
  const prepare = (sql: string): StatementSync => {
    const statement = db.prepare(sql)
    statement.setReturnArrays(true)
    return statement
  }
  const columns = (...names: string[]) =>
    names.map((name) => `json_group_array(${name})`).join(', ')
  const unusual = `iif(place IS NULL AND grid IS NULL AND uid IS NULL, 0,
    json_array(place, grid, ${UID_DIGITS}))`
  return {
    components: prepare(`SELECT ${columns('ref', 'scope', UID_DIGITS, 'id', 'zone', 'crc')}
      FROM (SELECT ref, scope, uid, id, zone, crc FROM component WHERE ref > ? ORDER BY ref LIMIT ?)`),
    streams: prepare(`SELECT
      ${columns('component', 'ordinal', 'handle', 'id', 'type', 'crc', unusual)}
      FROM (SELECT component, ordinal, handle, id, type, crc, place, grid, uid FROM stream
        WHERE (component, ordinal) > (?, ?) ORDER BY component, ordinal LIMIT ?)`),
    lastRef: prepare(`SELECT value FROM meta WHERE name = 'last_component'`),
    nextComponent: prepare('SELECT ref FROM component WHERE ref > ? ORDER BY ref LIMIT 1'),
    nextStream: prepare(`SELECT component, ordinal FROM stream
      WHERE (component, ordinal) > (?, ?) ORDER BY component, ordinal LIMIT 1`),
  }
}
