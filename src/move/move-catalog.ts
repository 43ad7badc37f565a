/** Documents on their way: what the target has and should not is taken out, what it lacks is put. */
import type {
  CatalogWrite,
  DocumentKey,
  PutDocument,
  StreamHandle,
  WholeDocument,
} from '../store/index.ts'
import { isMoved, isSameDocument } from './compare-documents.ts'
import type { MoveParts, MoveTarget, StreamPair } from './move-side.ts'
import { persist } from './persist.ts'

/** Documents of one commit, and about what their bodies may take. */
const DOCUMENTS_PER_COMMIT = 500
const BYTES_PER_COMMIT = 1_000_000

/** What both catalogs hold, held against each other. */
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
    const goners = documents.filter((document, at) => !isSameDocument(document, wanted[at]))
    count += documents.length
    onMoved(`comparing the catalog: ${count} documents`)
    if (goners.length === 0) continue
    const handles = goners.flatMap(({ handle }) => handle ?? [])
    if (handles.length > 0) await persist(() => target.samples.forget(handles))
    await commit(target, goners.map(deletionOf))
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
    for (const some of inCommits(missing)) await commit(target, some.map(putOf))
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
      if (!isSameDocument(document, found)) differing.push(nameOf(document))
      const pair = pairOf(document, found?.handle)
      if (pair !== undefined) pairs.push(pair)
    }
    documents += wanted.length
    onMoved(`checking the catalog: ${documents} documents`)
  }
  const extra = (await countOf(target)) - documents
  // Those that are missing are told above.
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

function pairOf(document: WholeDocument, target: StreamHandle | undefined): StreamPair | undefined {
  const { uid, handle, body } = document
  if (handle === undefined || target === undefined) return undefined
  return { uid, source: handle, target, hasFiles: body.valueType === 'FILE' }
}

async function commit(target: MoveTarget, writes: readonly CatalogWrite[]): Promise<void> {
  await persist(() => target.catalog.commit(writes))
}

/** A commit that is repeated, as nobody knows whether it was made, finds its own documents. */
function putOf({ handle: _handle, ...document }: WholeDocument): PutDocument {
  return { ...document, op: 'put', expectedRevision: 'any' }
}

function deletionOf({ orgUid, kind, uid }: DocumentKey): CatalogWrite {
  return { op: 'delete', orgUid, kind, uid, expectedRevision: 'any' }
}

function* inCommits(documents: readonly WholeDocument[]): Generator<WholeDocument[]> {
  let some: WholeDocument[] = []
  let bytes = 0
  for (const document of documents) {
    some.push(document)
    bytes += JSON.stringify(document.body).length
    if (some.length < DOCUMENTS_PER_COMMIT && bytes < BYTES_PER_COMMIT) continue
    yield some
    ;[some, bytes] = [[], 0]
  }
  if (some.length > 0) yield some
}

function nameOf({ orgUid, kind, uid }: DocumentKey): string {
  return `${kind} ${uid}${orgUid === '' ? '' : ` of organization ${orgUid}`}`
}
