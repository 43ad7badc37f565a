/** Rows of the table COMPONENT. */
import { allows } from '../../access/index.ts'
import type { ComponentEntry } from '../../catalog/index.ts'
import type { ComponentRecord } from '../../catalog/shape/index.ts'
import type { InputBatch, RowCell } from '../../sql/index.ts'
import { findAskedComponents } from './asked-streams.ts'
import type { ReadContext } from './read-context.ts'

const ROWS_PER_BATCH = 250

/** The components that are asked for and that the caller may see. */
export async function* readComponentRows(context: ReadContext): AsyncGenerator<InputBatch> {
  const { asked, budget, deps, principal } = context
  const { catalog } = deps
  const { texts } = asked
  // The same columns by other names.
  const named = new Map(texts)
  for (const [name, own] of [
    ['id', 'cid'],
    ['uid', 'cuid'],
    ['name', 'cname'],
  ] as const) {
    const values = texts.get(name)
    if (values !== undefined && !named.has(own)) named.set(own, values)
  }
  let rows: RowCell[][] = []
  for await (const { entry, record } of findAskedComponents(
    { catalog, principal },
    { ...asked, texts: named },
  )) {
    if (!allows(principal, `component/${entry.uid}`, 'GET')) continue
    const whole = record ?? (await catalog.describeComponent(principal.orgUid, entry.uid))
    if (whole === undefined) continue
    budget.take(1, asked, context.place)
    rows.push(asked.columns.map((column) => componentCell(entry, whole, column)))
    if (rows.length < ROWS_PER_BATCH) continue
    yield rowBatch(rows, asked.columns.length)
    rows = []
  }
  if (rows.length > 0) yield rowBatch(rows, asked.columns.length)
}

/** Rows of cells as a batch of columns. */
export function rowBatch(rows: readonly (readonly RowCell[])[], columnCount: number): InputBatch {
  const columns = Array.from({ length: columnCount }, (_, column) => ({
    kind: 'cells' as const,
    values: rows.map((row) => row[column]),
  }))
  return { rowCount: rows.length, columns }
}

function componentCell(entry: ComponentEntry, record: ComponentRecord, column: string): RowCell {
  switch (column) {
    case 'cid':
    case 'id':
      return record.id
    case 'cuid':
    case 'uid':
      return entry.uid
    case 'cname':
    case 'name':
      return record.name
    case 'folderpath':
      return record.folder
    case 'description':
      return record.description
    case 'timezoneid':
      return record.timeZoneId
    case 'creationdate':
      return BigInt(record.creationDate)
    case 'owneruser':
      return record.ownerUser?.name ?? null
    case 'latitude':
      return record.location?.latitude ?? null
    case 'longitude':
      return record.location?.longitude ?? null
    case 'altitude':
      return record.location?.altitude ?? null
    case 'streamcount':
      return BigInt(record.streamCount)
    case 'template':
      return record.template ?? null
    default:
      return null
  }
}
