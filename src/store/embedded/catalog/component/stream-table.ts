/** The statements with which the writer makes, changes and deletes streams. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { countedOrdinal, ORDINAL_END } from '../../../../base/plain.ts'
import { bytesOfStream } from '../../../fields/counted-bytes.ts'
import { typeOf } from '../../../fields/packed-fields.ts'
import { CatalogConflict } from '../../../ports/catalog-port.ts'
import type { CreateComponents, StreamFields } from '../../../ports/component-port.ts'
import { InsertTogether, type RowValue } from './insert-together.ts'
import type { FoundStream, NumberedOwner } from './stream-reader.ts'
import {
  checkOfStreamKey,
  checkOfStreamRest,
  PLAIN_STREAM_COLUMNS,
  STREAM_COLUMNS,
  type StreamKey,
  type StreamRest,
  streamRest,
} from './stream-row.ts'
import type { TextTable } from './text-table.ts'
import { uidBytes } from './uid-bytes.ts'

/** Where the numbers of new rows begin. */
interface FirstNumbers {
  readonly ref: number
  readonly handle: number
}

/** What was made: the bytes that the streams count as, and the hashes of those that have a series. */
interface CreatedStreams {
  readonly bytes: number
  readonly seriesHashes: readonly number[]
}

/** The table of streams, in which those of a component lie together. */
export class StreamTable {
  readonly #texts: TextTable
  readonly #statements: ReturnType<typeof prepareAll>
  readonly #together: InsertTogether
  /** For those of which the other columns are null: each value costs, also one that is null. */
  readonly #plain: InsertTogether

  constructor(db: DatabaseSync, texts: TextTable) {
    this.#texts = texts
    this.#statements = prepareAll(db)
    this.#together = new InsertTogether(db, 'stream', STREAM_COLUMNS)
    this.#plain = new InsertTogether(db, 'stream', PLAIN_STREAM_COLUMNS)
  }

  /** Makes the streams of components whose numbers count on from the first. */
  insertMany(create: CreateComponents, first: FirstNumbers): CreatedStreams {
    const { streamCounts, streamIds, streamNames, labels, series } = create
    const alike = create.definitions.map(({ more, ...definition }) => {
      const empty = { id: '', name: '', more }
      return {
        more,
        type: typeOf(definition),
        grid: definition.grid === '' ? null : this.#texts.numberOf(definition.grid),
        rest: streamRest(empty, 1, this.#texts),
        bytes: bytesOfStream(empty),
      }
    })
    const hasOwn = streamNames !== undefined || labels !== undefined || series !== undefined
    const isPlain = !hasOwn && alike.every(({ grid, rest }) => grid === null && isPlainRest(rest))
    const values: RowValue[] = []
    const seriesHashes: number[] = []
    let bytes = 0
    let at = 0
    for (let component = 0; component < streamCounts.length; component++) {
      for (let ordinal = 1; ordinal <= streamCounts[component]; ordinal++, at++) {
        const same = alike[create.definitionOf[at]]
        const id = streamIds[at]
        const key: StreamKey = {
          component: first.ref + component,
          ordinal,
          handle: first.handle + at,
          id: id === '' ? null : id.toWellFormed(),
          type: same.type,
          place: null,
          grid: same.grid,
          uid: null,
        }
        if (!hasOwn) bytes += same.bytes + Buffer.byteLength(id)
        if (isPlain) {
          values.push(key.component, ordinal, key.handle, key.id, key.type, checkOfStreamKey(key))
        } else if (!hasOwn) {
          pushRow(values, key, same.rest)
        } else {
          const fields = {
            id,
            name: streamNames?.[at] ?? id,
            labels: labels?.[at] ?? undefined,
            series: series?.[at] ?? undefined,
            more: same.more,
          }
          bytes += bytesOfStream(fields)
          const rest = streamRest(fields, 1, this.#texts)
          if (rest.series_hash !== null) seriesHashes.push(rest.series_hash)
          pushRow(values, key, rest)
        }
      }
    }
    if ((isPlain ? this.#plain : this.#together).insert(values)) return { bytes, seriesHashes }
    throw new CatalogConflict(
      { orgUid: create.orgUid, kind: 'component', uid: create.uid },
      undefined,
    )
  }

  /** Adds a stream to a component; false when its UID is there, or is none. */
  insert(
    owner: NumberedOwner,
    stream: StreamFields & { readonly uid: string },
    state: { readonly handle: number; readonly revision: number },
  ): boolean {
    if (uidBytes(stream.uid) === undefined) return false
    const counted = countedOrdinal(owner.uid, stream.uid)
    const ordinal = counted > 0 ? counted : this.#freeOrdinal(owner.ref)
    const uid = counted > 0 ? null : stream.uid.replaceAll('-', '')
    return this.#together.insert(
      this.#valuesOf({ component: owner.ref, ordinal, uid, ...state }, stream),
    )
  }

  update({ row }: FoundStream, fields: StreamFields, revision: number): void {
    const { component, ordinal } = row
    const values = this.#valuesOf({ ...row, revision }, fields)
    this.#statements.update.run(...values.slice(2), component, ordinal)
  }

  delete({ row }: FoundStream): void {
    this.#statements.delete.run(row.component, row.ordinal)
  }

  /** Whether a component has streams. */
  hasAny(ref: number): boolean {
    return this.#statements.any.get(ref) !== undefined
  }

  /** Whether two streams of a component have an ID. */
  isDouble(ref: number, id: string): boolean {
    return this.#statements.second.get(ref, id.toWellFormed()) !== undefined
  }

  /** An ID that two streams of a component have. */
  findDouble(ref: number): string | undefined {
    return this.#statements.double.get(ref)?.id as string | undefined
  }

  /** Above those that UIDs are counted by. */
  #freeOrdinal(ref: number): number {
    const last = Number(this.#statements.last.get(ref)?.last ?? 0)
    return Math.max(last, ORDINAL_END - 1) + 1
  }

  #valuesOf(
    of: Pick<StreamKey, 'component' | 'ordinal' | 'uid' | 'handle'> & { readonly revision: number },
    fields: StreamFields,
  ): RowValue[] {
    const { component, ordinal, uid, handle, revision } = of
    const { id, order, grid } = fields
    const key: StreamKey = {
      component,
      ordinal,
      handle,
      id: id === '' ? null : id.toWellFormed(),
      type: typeOf(fields),
      place: order === ordinal - 1 ? null : order,
      grid: grid === '' ? null : this.#texts.numberOf(grid),
      uid,
    }
    const values: RowValue[] = []
    pushRow(values, key, streamRest(fields, revision, this.#texts))
    return values
  }
}

function isPlainRest(rest: StreamRest): boolean {
  return Object.values(rest).every((field) => field === null)
}

function pushRow(values: RowValue[], key: StreamKey, rest: StreamRest): void {
  const { component, ordinal, handle, id, type, place, grid, uid } = key
  const bytes = uid === null ? null : Buffer.from(uid, 'hex')
  values.push(component, ordinal, handle, id, type, place, grid, bytes, checkOfStreamKey(key))
  values.push(rest.revision, rest.name, rest.labels, rest.series, rest.series_hash, rest.more)
  values.push(checkOfStreamRest(handle, rest))
}

function prepareAll(db: DatabaseSync) {
  const prepare = (sql: string): StatementSync => db.prepare(sql)
  const changed = STREAM_COLUMNS.slice(2).map((name) => `${name} = ?`)
  return {
    any: prepare('SELECT 1 FROM stream WHERE component = ? LIMIT 1'),
    second: prepare('SELECT 1 FROM stream WHERE component = ? AND id = ? LIMIT 1 OFFSET 1'),
    double: prepare(`SELECT id FROM stream WHERE component = ? AND id IS NOT NULL
      GROUP BY id HAVING count(*) > 1 LIMIT 1`),
    last: prepare('SELECT max(ordinal) AS last FROM stream WHERE component = ?'),
    update: prepare(`UPDATE stream SET ${changed.join(', ')} WHERE component = ? AND ordinal = ?`),
    delete: prepare('DELETE FROM stream WHERE component = ? AND ordinal = ?'),
  }
}
