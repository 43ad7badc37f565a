/** The columns of a row beside its samples. */
import { nextIteration } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import {
  type ComponentRecord,
  STREAM_TYPES,
  type StreamRecord,
  VALUE_TYPES,
} from '../../catalog/shape/index.ts'
import type { RowCell } from '../../sql/index.ts'
import type {
  Sample,
  SampleSpan,
  SampleStore,
  StreamHandle,
  TextMemory,
} from '../../store/index.ts'
import { readAhead } from './read-ahead.ts'
import { type ShowSample, sampleCell } from './sample-cells.ts'
import { COMPONENT_RECORD, isOfStreamRecord, labelOf } from './stored-tables.ts'

/** Streams looked into before others have their turn: about a millisecond. */
export const STREAMS_PER_SLICE = 32

const SPAN_COLUMNS = new Set(['startdate', 'enddate', 'lastupdated'])

/** What rows of streams are read with. */
export interface StreamCellDeps {
  readonly catalog: Catalog
  readonly store: SampleStore
  readonly showSample: ShowSample
  readonly memory: TextMemory
}

/** A stream, with what the columns of a read need of it. */
export interface StreamRow {
  readonly handle: StreamHandle
  readonly component: ComponentRecord | undefined
  readonly record: StreamRecord | undefined
  readonly unit: string | null
  readonly span: SampleSpan | undefined
  readonly latest: Sample | undefined
}

/** Reads what columns need of some streams; one that was deleted meanwhile is left out. */
export async function readStreamRows(
  deps: StreamCellDeps,
  handles: readonly StreamHandle[],
  columns: readonly string[],
): Promise<StreamRow[]> {
  const { catalog, store } = deps
  const { index } = catalog
  const needs = (names: ReadonlySet<string>): boolean => columns.some((name) => names.has(name))
  const components = new Map<number, Promise<ComponentRecord | undefined>>()
  const componentOf = (handle: StreamHandle) => {
    const ref = index.componentRefOf(handle)
    const known = components.get(ref)
    if (known !== undefined) return known
    const { orgUid, uid } = index.componentOf(handle)
    const reading = catalog.describeComponent(orgUid, uid)
    components.set(ref, reading)
    return reading
  }
  const needsRecord = columns.some(isOfStreamRecord)
  const records = needsRecord ? await readRecords(catalog, handles) : undefined
  const isLatest = columns.includes('lastvalue')
  const latest = isLatest ? await store.latest(handles, { memory: deps.memory }) : []
  const read = async (handle: StreamHandle) => {
    if (!index.has(handle)) return undefined
    return {
      component: needs(COMPONENT_RECORD) ? await componentOf(handle) : undefined,
      unit: columns.includes('unit') ? ((await catalog.unitOf(handle))?.symbol ?? '') : null,
      span: needs(SPAN_COLUMNS) ? await store.span(handle) : undefined,
    }
  }
  const ahead = { isShared: catalog.catchUps.isShared, isSmall: () => true, read }
  const rows: StreamRow[] = []
  let at = 0
  for await (const [handle, found] of readAhead(handles, ahead)) {
    at += 1
    if (at % STREAMS_PER_SLICE === 0) await nextIteration()
    if (found === undefined) continue
    const row = { handle, ...found, record: records?.get(handle), latest: latest[at - 1] }
    // A record that is gone, or damaged, has no row.
    const isWhole =
      (!needs(COMPONENT_RECORD) || row.component !== undefined) &&
      (!needsRecord || row.record !== undefined)
    if (isWhole && index.has(handle)) rows.push(row)
  }
  return rows
}

/**
 * Reads the records of streams one by one. A list of all streams of a component costs the whole component for each page
 * of it, which takes seconds where a component has thousands of streams.
 */
async function readRecords(
  catalog: Catalog,
  handles: readonly StreamHandle[],
): Promise<Map<StreamHandle, StreamRecord>> {
  const records = new Map<StreamHandle, StreamRecord>()
  for (let start = 0; start < handles.length; start += STREAMS_PER_SLICE) {
    const slice = handles.slice(start, start + STREAMS_PER_SLICE)
    const found = await Promise.all(slice.map((handle) => catalog.describeStream(handle)))
    for (const [at, record] of found.entries()) {
      if (record !== undefined) records.set(slice[at], record)
    }
    await nextIteration()
  }
  return records
}

/** The cell of a column that is the same for all samples of a stream; undefined of any other column. */
export function streamCell(
  { catalog, showSample }: StreamCellDeps,
  row: StreamRow,
  column: string,
): RowCell | undefined {
  const { index } = catalog
  const { handle, component, record, span, latest } = row
  switch (column) {
    case 'cid':
      return index.componentOf(handle).compId
    case 'id':
      return index.streamIdOf(handle)
    case 'cuid':
      return index.componentOf(handle).uid
    case 'uid':
      return index.streamUid(handle)
    case 'cname':
      return component?.name ?? null
    case 'folderpath':
      return component?.folder ?? null
    case 'template':
      return component?.template ?? null
    case 'name':
      return record?.name ?? null
    case 'description':
      return record?.description ?? null
    case 'timezoneid':
      return index.componentOf(handle).timeZone
    case 'streamtype':
      return STREAM_TYPES[index.kindOf(handle)]
    case 'samplevaluetype':
      return VALUE_TYPES[index.valueCodeOf(handle)]
    case 'unit':
      return row.unit
    case 'startdate':
      return span === undefined ? null : BigInt(span.firstTime)
    case 'enddate':
    case 'lastupdated':
      return span === undefined ? null : BigInt(span.lastTime)
    case 'lastvalue':
      return latest === undefined ? null : sampleCell(index, { handle, ...latest }, showSample)
    default: {
      const label = labelOf(column)
      return label === undefined ? undefined : (labelIn(record, label) ?? null)
    }
  }
}

function labelIn(record: StreamRecord | undefined, label: string): string | undefined {
  return new Map(Object.entries(record?.labels ?? {})).get(label)
}
