/** Reads the streams of an organization that have labels or a look-back, in the order of the tables. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { CatalogDamaged } from '../../../ports/catalog-port.ts'
import {
  type LabeledPage,
  type LabeledWalk,
  LOOKBACK_FIELD,
} from '../../../ports/component-port.ts'
import type { ComponentReader } from './component-reader.ts'
import {
  STREAM_COLUMNS,
  type StoredStreamRow,
  type StreamOwner,
  streamOfRow,
  UID_DIGITS,
} from './stream-row.ts'
import type { TextTable } from './text-table.ts'

/** Components that one step looks at: with their streams about a millisecond. */
const COMPONENTS_PER_STEP = 200

const COLUMNS = STREAM_COLUMNS.map((name) =>
  name === 'uid' ? `${UID_DIGITS.replaceAll('uid', 's.uid')} AS uid` : `s.${name}`,
).join(', ')

/** Behind which row a step begins: the number of a component, and an ordinal in it. */
type Place = readonly [component: number, ordinal: number]

/** A walk over two tables. Most streams have no labels: their rows are not handed to JavaScript. */
export class LabeledStreams {
  readonly #components: ComponentReader
  readonly #texts: TextTable
  readonly #select: StatementSync
  readonly #last: StatementSync

  constructor(db: DatabaseSync, components: ComponentReader, texts: TextTable) {
    this.#components = components
    this.#texts = texts
    // The + keeps SQLite from the index of scopes, by which each step would read all components of the organization.
    this.#select = db.prepare(`SELECT ${COLUMNS}
      FROM component c CROSS JOIN stream s ON s.component = c.ref
      WHERE c.ref >= ?1 AND c.ref <= ?2 AND +c.scope = ?3 AND (s.component, s.ordinal) > (?1, ?4)
        AND (s.labels IS NOT NULL OR instr(s.more, '"${LOOKBACK_FIELD}":') > 0)
      ORDER BY c.ref, s.ordinal LIMIT ?5`)
    this.#last = db.prepare('SELECT max(ref) AS last FROM component')
  }

  /** One page; calls back with what a stream that does not check says. */
  step(
    scope: number,
    { after, limit }: LabeledWalk,
    onLeftOut: (what: string) => void,
  ): LabeledPage {
    const [component, ordinal]: Place = after === undefined ? [0, 0] : JSON.parse(after)
    const end = component + COMPONENTS_PER_STEP
    const found = this.#select.all(component, end, scope, ordinal, limit)
    const rows = found as unknown as StoredStreamRow[]
    const streams = this.#read(rows, onLeftOut)
    const last = rows.at(-1)
    if (last !== undefined && rows.length === limit) {
      return { streams, next: JSON.stringify([last.component, last.ordinal] satisfies Place) }
    }
    const isEnd = Number((this.#last.get() as { last: number | null }).last ?? 0) <= end
    return isEnd ? { streams } : { streams, next: JSON.stringify([end + 1, 0] satisfies Place) }
  }

  #read(rows: readonly StoredStreamRow[], onLeftOut: (what: string) => void) {
    let ref = 0
    let owner: StreamOwner | undefined
    return rows.flatMap((row) => {
      try {
        if (row.component !== ref) {
          owner = this.#components.findRef(row.component)?.component
          ref = row.component
        }
        return owner === undefined ? [] : [streamOfRow(row, owner, this.#texts)]
      } catch (error) {
        if (!(error instanceof CatalogDamaged)) throw error
        onLeftOut(error.what)
        return []
      }
    })
  }
}
