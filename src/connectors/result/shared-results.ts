/**
 * Checked results of runs where every process finds them: a body in the store of bodies, and a document that names it
 * and says how far its parts are stored. So another process goes on with the same result when the one that stores it is
 * gone. Documents are written under the lease of the run: a process that lost it writes none.
 */
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type {
  AssignedSpan,
  BlobInfo,
  BlobStore,
  CatalogStore,
  Lease,
  PayloadKey,
  StreamHandle,
} from '../../store/index.ts'
import { ResultFile, resultPath } from './result-file.ts'

const KIND = 'import_result'
const PAGE = 200

/** What is noted of a result. */
interface ResultNote {
  readonly key: PayloadKey
  readonly blob: BlobInfo
  /** The next part that is to be stored. */
  readonly part: number
  /** What samples of that part were assigned: handle, from, count and step of each span; null: nothing. */
  readonly assigned: readonly number[] | null
}

interface SharedResultsDeps {
  readonly blobs: BlobStore
  readonly catalogStore: CatalogStore
  /** Where results lie while they are stored. */
  readonly folder: string
}

/** The results of runs that processes share. */
export class SharedResults {
  readonly #deps: SharedResultsDeps

  constructor(deps: SharedResultsDeps) {
    this.#deps = deps
  }

  /** Keeps a finished result of which nothing is stored yet, and from then on how far it is. */
  async publish(file: ResultFile, key: PayloadKey, lease: Lease): Promise<void> {
    const { blobs, folder } = this.#deps
    const source = createReadStream(resultPath(folder, key.uid))
    // A put that is refused before it reads would leave the file open.
    const putting = blobs.put(source, { bytesMax: Number.MAX_SAFE_INTEGER })
    const blob = await putting.finally(() => source.destroy())
    await this.#put({ key, blob, part: 0, assigned: null }, lease)
    this.#follow(file, { key, blob }, lease)
  }

  /** The result of a run as another process has left it; undefined where none was kept. */
  async take(key: PayloadKey, lease: Lease): Promise<ResultFile | undefined> {
    const { blobs, folder } = this.#deps
    const note = await this.#find(key.uid)
    if (note === undefined) return undefined
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const body = await blobs.read(note.blob, { start: 0, end: note.blob.bytes })
    if (body === undefined) return undefined
    await pipeline(body, createWriteStream(resultPath(folder, key.uid), { mode: 0o600 }))
    const file = await ResultFile.find(folder, key.uid)
    if (file === undefined) throw new Error('The checksum of an import result is wrong')
    const assigned = note.assigned === null ? undefined : spansIn(note.assigned)
    file.goOnAt({ part: note.part, assigned })
    this.#follow(file, note, lease)
    return file
  }

  /** Whether the result of a run is kept: it is being stored, or will be. */
  async has(runUid: string): Promise<boolean> {
    return (await this.#find(runUid)) !== undefined
  }

  /** Forgets the result of a run. */
  async remove(runUid: string): Promise<void> {
    const note = await this.#find(runUid)
    if (note === undefined) return
    const gone = { op: 'delete', ...nameOf(runUid), expectedRevision: 'any' } as const
    await this.#deps.catalogStore.commit([gone])
    await this.#deps.blobs.delete(note.blob.key)
  }

  /** Every run that a result is kept of. */
  async *list(): AsyncGenerator<PayloadKey> {
    for await (const { key } of notesIn(this.#deps.catalogStore)) yield key
  }

  async #find(runUid: string): Promise<ResultNote | undefined> {
    const found = await this.#deps.catalogStore.get(nameOf(runUid))
    return found?.body as ResultNote | undefined
  }

  #follow(file: ResultFile, about: Pick<ResultNote, 'key' | 'blob'>, lease: Lease): void {
    const { key, blob } = about
    file.reportProgress(({ part, assigned }) =>
      this.#put(
        { key, blob, part, assigned: assigned === undefined ? null : flat(assigned) },
        lease,
      ),
    )
  }

  async #put(note: ResultNote, lease: Lease): Promise<void> {
    const { part, assigned, key } = note
    const { uid } = key
    const body = { part, assigned, key: { ...key }, blob: { ...note.blob } }
    const put = { op: 'put', ...nameOf(uid), listKey: uid, expectedRevision: 'any' } as const
    await this.#deps.catalogStore.commit([{ ...put, body }], lease)
  }
}

/** The keys of the bodies that hold results of runs: a sweep leaves them alone. */
export async function* resultBodies(catalogStore: CatalogStore): AsyncGenerator<string> {
  for await (const { blob } of notesIn(catalogStore)) yield blob.key
}

async function* notesIn(catalogStore: CatalogStore): AsyncGenerator<ResultNote> {
  for (let start = 0; ; start += PAGE) {
    const query = { orgUid: '', kind: KIND, start, limit: PAGE }
    const { documents } = await catalogStore.list(query)
    for (const { body } of documents) yield body as unknown as ResultNote
    if (documents.length < PAGE) return
  }
}

function nameOf(runUid: string): { orgUid: string; kind: string; uid: string } {
  return { orgUid: '', kind: KIND, uid: runUid }
}

function flat(spans: readonly AssignedSpan[]): number[] {
  return spans.flatMap(({ handle, from, count, step = 1 }) => [handle, from, count, step])
}

function spansIn(numbers: readonly number[]): AssignedSpan[] {
  return Array.from({ length: numbers.length / 4 }, (_, at) => {
    const [handle, from, count, step] = numbers.slice(at * 4, at * 4 + 4)
    return { handle: handle as StreamHandle, from, count, step }
  })
}
