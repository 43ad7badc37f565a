/** A commit as requests to the writer, and its result. */
import type { CatalogRecord, CatalogWrite, Committed } from '../../ports/catalog-port.ts'
import type { CreateComponents } from '../../ports/component-port.ts'
import type { StreamHandle } from '../../ports/sample-port.ts'
import type { CreateRequest, WriteRequest, Written } from './catalog-protocol.ts'
import { SAME } from './component/stream-row.ts'

/** Components and streams of one slice of a creation: about a millisecond of copying. */
const ROWS_PER_SLICE = 2_000

/** The orders of a commit; creations of many components come in slices, which are one commit all the same. */
export function* ordersOf(writes: readonly CatalogWrite[]): Generator<WriteRequest> {
  for (const write of writes) {
    if (write.op === 'create') for (const slice of slicesOf(write)) yield requestOf(slice)
    else yield write.op === 'put' ? { ...write, body: JSON.stringify(write.body) } : write
  }
}

/** Most streams with a series have no other labels: these are sent once. */
function requestOf(create: CreateComponents): CreateRequest {
  const { labels, series } = create
  if (series === undefined || labels === undefined) return create
  return { ...create, series: series.map((one, at) => (one === labels[at] && one ? SAME : one)) }
}

/** The creation of a request. */
export function creationOf(request: CreateRequest): CreateComponents {
  const { labels, series } = request
  const own = series?.map((one, at) => (one === SAME ? labels?.[at] : (one ?? undefined)))
  return { ...request, series: own }
}

/** How many rows an order writes. */
export function rowsOf(order: Pick<CatalogWrite, 'op'> | CreateRequest): number {
  return 'uids' in order ? order.uids.length + order.streamIds.length : 1
}

/** What the writer made of a commit. */
export function committedOf(writes: readonly CatalogWrite[], written: Written): Committed {
  const records: CatalogRecord[] = []
  const firstHandles: StreamHandle[] = []
  let at = 0
  for (const write of writes) {
    const [revision, handle] = [written[at], written[at + 1] as StreamHandle]
    switch (write.op) {
      case 'create':
        at += 2 * sliceEndsOf(write).length
        firstHandles.push(handle)
        continue
      case 'expect':
      case 'delete':
        continue
      case 'put': {
        const { orgUid, kind, uid, parentUid = '', listKey = '', expiresAtMs, body } = write
        records.push({ orgUid, kind, uid, parentUid, revision, listKey, expiresAtMs, body })
        break
      }
      case 'put_component': {
        const { op: _, expectedRevision: __, mayUseReserve: ___, ...component } = write
        records.push({ ...component, revision })
        break
      }
      case 'put_stream': {
        const { op: _, expectedRevision: __, mayUseReserve: ___, ...fields } = write
        const { labels, series, ...stream } = fields
        records.push({
          ...stream,
          ...(labels === undefined ? {} : { labels }),
          ...(series === undefined ? {} : { series }),
          revision,
          handle,
        })
        break
      }
    }
    at += 2
  }
  return { records, firstHandles }
}

/** Behind which component each slice ends. */
function sliceEndsOf({ uids, streamCounts, streamIds }: CreateComponents): number[] {
  if (uids.length + streamIds.length <= ROWS_PER_SLICE) return [uids.length]
  const ends: number[] = []
  let rows = 0
  for (let at = 0; at < uids.length; at++) {
    rows += 1 + streamCounts[at]
    if (rows < ROWS_PER_SLICE && at + 1 < uids.length) continue
    ends.push(at + 1)
    rows = 0
  }
  return ends
}

function* slicesOf(create: CreateComponents): Generator<CreateComponents> {
  const ends = sliceEndsOf(create)
  if (ends.length === 1) {
    yield create
    return
  }
  let [from, firstStream] = [0, 0]
  for (const until of ends) {
    const streamCounts = create.streamCounts.slice(from, until)
    const endStream = firstStream + streamCounts.reduce((sum, count) => sum + count, 0)
    const streams = <T>(column: readonly T[]): T[] => column.slice(firstStream, endStream)
    yield {
      ...create,
      uid: create.uids[from],
      uids: create.uids.slice(from, until),
      ids: create.ids.slice(from, until),
      names: create.names?.slice(from, until),
      addressedAs: create.addressedAs?.slice(from, until),
      streamCounts,
      streamIds: streams(create.streamIds),
      streamNames: create.streamNames && streams(create.streamNames),
      labels: create.labels && streams(create.labels),
      series: create.series && streams(create.series),
      definitionOf: streams(create.definitionOf),
    }
    from = until
    firstStream = endStream
  }
}
