/** The statements with which single streams, and those of one component, are read. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { componentUidOf, countedOrdinal, isCountedForm, ordinalOf } from '../../../../base/plain.ts'
import { seriesText } from '../../../fields/unique-texts.ts'
import { CatalogDamaged } from '../../../ports/catalog-port.ts'
import type { Labels, StoredStream } from '../../../ports/component-port.ts'
import type { CatalogScopes } from '../catalog-scopes.ts'
import type { ComponentReader } from './component-reader.ts'
import {
  hashOfSeriesText,
  SELECTED_STREAM,
  type StoredStreamRow,
  type StreamOwner,
  streamOfRow,
} from './stream-row.ts'
import type { TextTable } from './text-table.ts'
import { uidBytes } from './uid-bytes.ts'

/** The component of a stream with the number of its row. */
export interface NumberedOwner extends StreamOwner {
  readonly ref: number
}

/** A stream that is there. */
export interface FoundStream {
  readonly row: StoredStreamRow
  readonly stream: StoredStream
}

/** How many hex digits the UIDs of a component's streams share with its own. */
const COMMON_DIGITS = 26

/** Reads streams; one that does not check is not answered. */
export class StreamReader {
  readonly #components: ComponentReader
  readonly #scopes: CatalogScopes
  readonly #texts: TextTable
  readonly #statements: ReturnType<typeof prepareAll>

  constructor(
    db: DatabaseSync,
    reads: {
      readonly components: ComponentReader
      readonly scopes: CatalogScopes
      readonly texts: TextTable
    },
  ) {
    this.#components = reads.components
    this.#scopes = reads.scopes
    this.#texts = reads.texts
    this.#statements = prepareAll(db)
  }

  /** The stream with a UID, of any component of an organization. */
  find(scope: number, uid: string): FoundStream | undefined {
    const counted = isCountedForm(uid) ? this.ownerOf(scope, componentUidOf(uid)) : undefined
    const found = counted && this.findOf(counted, uid)
    if (found !== undefined) return found
    const ref = Number(this.#statements.owner.get(uidBytes(uid) ?? null)?.component ?? 0)
    const owner = ref === 0 ? undefined : this.#ownerOfRef(ref)
    if (owner === undefined || this.#scopes.find(owner.orgUid) !== scope) return undefined
    const own = this.findOf(owner, uid)
    if (own === undefined) throw new CatalogDamaged(`stream ${uid} is not where the index says`)
    return own
  }

  /** The stream of a component with a UID. */
  findOf(owner: NumberedOwner, uid: string): FoundStream | undefined {
    const ordinal = countedOrdinal(owner.uid, uid)
    const row =
      ordinal > 0
        ? this.#statements.byOrdinal.get(owner.ref, ordinal)
        : this.#statements.byUid.get(owner.ref, uidBytes(uid) ?? null)
    return row && this.#check(row as unknown as StoredStreamRow, owner)
  }

  /** Whether another component has a stream with a UID. */
  isOfAnother(owner: NumberedOwner, uid: string): boolean {
    const holder = this.#statements.owner.get(uidBytes(uid) ?? null)?.component
    if (holder !== undefined && holder !== owner.ref) return true
    const counted = isCountedForm(uid) ? componentUidOf(uid) : owner.uid
    if (counted === owner.uid) return false
    const ref = this.#components.refOfUid(counted)
    return this.#statements.byOrdinal.get(ref, ordinalOf(uid)) !== undefined
  }

  /** The stream of each series, undefined for a series of none. */
  findEach(scope: number, series: readonly Labels[]): (StoredStream | undefined)[] {
    const hashes = series.map((one) => hashOfSeriesText(seriesText(one)))
    const found = this.#statements.anyOfSeries.all(JSON.stringify(hashes))
    const known = new Set(found.map(({ key }) => key as number))
    return series.map((one, at) => {
      const [first] = known.has(at) ? this.findSeries(scope, one) : []
      return first?.stream
    })
  }

  /** The streams with a series in all organizations: the hash of a series may be that of another too. */
  *findSeries(scope: number, series: Labels): Generator<FoundStream> {
    const text = seriesText(series)
    for (const place of this.#statements.bySeries.all(hashOfSeriesText(text))) {
      const owner = this.#ownerOfRef(place.component as number)
      if (owner === undefined || this.#scopes.find(owner.orgUid) !== scope) continue
      const row = this.#statements.byOrdinal.get(owner.ref, place.ordinal as number)
      const found = row && this.#check(row as unknown as StoredStreamRow, owner)
      if (found?.stream.series !== undefined && seriesText(found.stream.series) === text)
        yield found
    }
  }

  /** Those of some hashes of series that two streams have, as far as the index knows: reading the streams takes longer. */
  sharedHashes(hashes: readonly number[]): ReadonlySet<number> {
    const rows = this.#statements.sharedHashes.all(JSON.stringify(hashes))
    return new Set(rows.map(({ series_hash: hash }) => hash as number))
  }

  /** Streams of a component in definition order. */
  page(owner: NumberedOwner, { start, limit }: { start: number; limit: number }): StoredStream[] {
    const common = owner.uid.replaceAll('-', '').slice(0, COMMON_DIGITS)
    const rows = this.#statements.page.all(owner.ref, common, limit, start)
    return rows.map((row) => this.#check(row as unknown as StoredStreamRow, owner).stream)
  }

  /** A component of an organization, as its streams need it. */
  ownerOf(scope: number, uid: string): NumberedOwner | undefined {
    const found = this.#components.find(scope, uid)
    return found && { ref: found.ref, orgUid: found.component.orgUid, uid }
  }

  #ownerOfRef(ref: number): NumberedOwner | undefined {
    const found = this.#components.findRef(ref)
    if (found === undefined)
      throw new CatalogDamaged(`streams of component number ${ref} have none`)
    return { ref, orgUid: found.component.orgUid, uid: found.component.uid }
  }

  #check(row: StoredStreamRow, owner: NumberedOwner): FoundStream {
    return { row, stream: streamOfRow(row, owner, this.#texts) }
  }
}

function prepareAll(db: DatabaseSync) {
  const prepare = (sql: string): StatementSync => db.prepare(sql)
  return {
    byOrdinal: prepare(`SELECT ${SELECTED_STREAM} FROM stream WHERE component = ? AND ordinal = ?`),
    byUid: prepare(
      `SELECT ${SELECTED_STREAM} FROM stream WHERE component = ?1 AND stream.uid = ?2`,
    ),
    owner: prepare('SELECT component FROM stream WHERE uid = ?'),
    bySeries: prepare(`SELECT component, ordinal FROM stream WHERE series_hash = ?
      ORDER BY component, ordinal`),
    anyOfSeries: prepare(`SELECT key FROM json_each(?)
      WHERE EXISTS (SELECT 1 FROM stream WHERE series_hash = value)`),
    sharedHashes: prepare(`SELECT series_hash FROM json_each(?) JOIN stream ON series_hash = value
      GROUP BY series_hash HAVING count(*) > 1`),
    // Streams of one place come in the order of their UIDs.
    page: prepare(`SELECT ${SELECTED_STREAM} FROM stream WHERE component = ?1
      ORDER BY coalesce(place, ordinal - 1), coalesce(stream.uid, unhex(?2 || printf('%06x', ordinal)))
      LIMIT ?3 OFFSET ?4`),
  }
}
