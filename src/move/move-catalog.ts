/** Documents on their way: what the target has and should not is taken out, what it lacks is put. */
import { VALUE_CODE } from '../catalog/shape/index.ts'
import {
  bytesOfComponent,
  bytesOfStream,
  type CatalogWrite,
  type DocumentKey,
  type StoredStream,
  type WholeRecord,
} from '../store/index.ts'
import { isMoved, isSameRecord } from './compare-documents.ts'
import type { MoveParts, MoveTarget, StreamPair } from './move-side.ts'
import { persist } from './persist.ts'

/** Records of one commit, and about what they may take. */
const RECORDS_PER_COMMIT = 500
const BYTES_PER_COMMIT = 1_000_000
const STREAMS_PER_PAGE = 1_000

/** The differences between the two catalogs. */
export interface ComparedCatalog {
  /** In the order of the source's handles. */
  readonly pairs: readonly StreamPair[]
  readonly documents: number
  /** Documents that differ, are missing, or should not be there. */
  readonly differing: readonly string[]
}

/**
 * Takes out of the target what differs from the source: it was written before a break, and the source has
 * changed since. A stream is forgotten with its samples.
 */
export async function takeOutDiffering({ source, target, onMoved }: MoveParts): Promise<void> {
  let count = 0
  for await (const page of target.whole.everything()) {
    const documents = page.filter(isMoved)
    const wanted = await source.whole.wholeOf(documents)
    const goners = documents.filter((document, at) => !isSameRecord(document, wanted[at]))
    count += documents.length
    onMoved(`comparing the catalog: ${count} documents`)
    if (goners.length === 0) continue
    const streams = await streamsBelow(target, goners)
    const handles = streams.map(({ handle }) => handle)
    if (handles.length > 0) await persist(() => target.samples.forget(handles))
    // A component goes after its streams.
    const others = goners.filter(({ kind }) => kind !== 'stream')
    for (const some of inParts([...streams, ...others])) await commit(target, some.map(deletionOf))
  }
}

/** Puts what the target does not have. */
export async function putMissing(parts: MoveParts, isFresh: boolean): Promise<void> {
  const { source, target, onMoved } = parts
  let count = 0
  for await (const page of source.whole.everything()) {
    const documents = page.filter(isMoved)
    const there = isFresh ? [] : await target.whole.wholeOf(documents)
    const missing = documents.filter((_document, at) => there[at] === undefined)
    for (const some of inParts(missing)) await commit(target, some.map(putOf))
    count += documents.length
    onMoved(`moving the catalog: ${count} documents`)
  }
}

/** Reads both catalogs whole and holds each document against its counterpart. */
export async function compareCatalogs(parts: MoveParts): Promise<ComparedCatalog> {
  const { source, target, onMoved } = parts
  const pairs: StreamPair[] = []
  const differing: string[] = []
  let documents = 0
  for await (const page of source.whole.everything()) {
    const wanted = page.filter(isMoved)
    const there = await target.whole.wholeOf(wanted)
    for (const [at, document] of wanted.entries()) {
      const found = there[at]
      if (!isSameRecord(document, found)) differing.push(nameOf(document))
      const pair = pairOf(document, found)
      if (pair !== undefined) pairs.push(pair)
    }
    documents += wanted.length
    onMoved(`checking the catalog: ${documents} documents`)
  }
  const extra = (await countOf(target)) - documents
  // Missing bodies are reported above.
  if (extra > 0 || (extra < 0 && differing.length === 0)) {
    differing.push(`${Math.abs(extra)} documents ${extra > 0 ? 'too many' : 'too few'}`)
  }
  pairs.sort((a, b) => a.source - b.source)
  return { pairs, documents, differing }
}

async function countOf(target: MoveTarget): Promise<number> {
  let count = 0
  for await (const page of target.whole.everything()) count += page.filter(isMoved).length
  return count
}

function pairOf(record: WholeRecord, found: WholeRecord | undefined): StreamPair | undefined {
  if (found === undefined || !('handle' in record) || !('handle' in found)) return undefined
  const hasFiles = record.valueCode === VALUE_CODE.FILE
  return { uid: record.uid, source: record.handle, target: found.handle, hasFiles }
}

/** Streams that differ, and those of components that do: a component is not deleted before them. */
async function streamsBelow(
  { catalog }: MoveTarget,
  goners: readonly WholeRecord[],
): Promise<StoredStream[]> {
  const streams = new Map<string, StoredStream>()
  for (const goner of goners) {
    if ('handle' in goner) streams.set(goner.uid, goner)
    if (goner.kind !== 'component') continue
    for (let start = 0; ; start += STREAMS_PER_PAGE) {
      const page = { start, limit: STREAMS_PER_PAGE }
      const { orgUid, uid } = goner
      const below = await persist(() => catalog.components.streamsOf(orgUid, uid, page))
      for (const stream of below) streams.set(stream.uid, stream)
      if (below.length < STREAMS_PER_PAGE) break
    }
  }
  return [...streams.values()]
}

async function commit(target: MoveTarget, writes: readonly CatalogWrite[]): Promise<void> {
  await persist(() => target.catalog.commit(writes))
}

/** A commit that is repeated, as nobody knows whether it was made, finds its own records. */
function putOf(record: WholeRecord): CatalogWrite {
  if ('handle' in record) {
    const { handle: _handle, ...stream } = record
    return { ...stream, op: 'put_stream', expectedRevision: 'any' }
  }
  if (!('claims' in record)) return { ...record, op: 'put_component', expectedRevision: 'any' }
  return { ...record, op: 'put', expectedRevision: 'any' }
}

function deletionOf({ orgUid, kind, uid }: DocumentKey): CatalogWrite {
  return { op: 'delete', orgUid, kind, uid, expectedRevision: 'any' }
}

function* inParts(records: readonly WholeRecord[]): Generator<WholeRecord[]> {
  let some: WholeRecord[] = []
  let bytes = 0
  for (const record of records) {
    some.push(record)
    bytes += bytesOf(record)
    if (some.length < RECORDS_PER_COMMIT && bytes < BYTES_PER_COMMIT) continue
    yield some
    ;[some, bytes] = [[], 0]
  }
  if (some.length > 0) yield some
}

function bytesOf(record: WholeRecord): number {
  if ('handle' in record) return bytesOfStream(record)
  return 'claims' in record ? JSON.stringify(record.body).length : bytesOfComponent(record)
}

function nameOf({ orgUid, kind, uid }: DocumentKey): string {
  return `${kind} ${uid}${orgUid === '' ? '' : ` of organization ${orgUid}`}`
}
