/**
 * The checked result of a run, in a file of its own: frames, each with its length, checksum and kind. It has its name
 * once all of it is durable; what is stored of it is noted behind it, so that a crash goes on where it was. Byte format:
 * docs/format/import-result.md.
 */
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { crc32 } from 'node:zlib'
import type { AssignedSpan } from '../../store/index.ts'
import type { RunStream } from './run-streams.ts'
import type { SampleBlock } from './sample-block.ts'

/** Samples that are put together; `streams` of the block are places in the list. */
export interface ResultPart {
  readonly streams: readonly RunStream[]
  /** The names of the INSERTs, for messages. */
  readonly names: readonly string[]
  readonly block: SampleBlock
  /** The number of the first sample among all of the result. */
  readonly first: number
}

/** A sample of each stream that has to be made or has no type, which are put before all others. */
interface FirstPart extends ResultPart {
  /** Samples of it that have no time, by their numbers: they are not put a second time. */
  readonly moved: readonly number[]
}

/** What a run comes to. */
export interface ResultSummary {
  readonly rowsFetched: number
  readonly rowsIngested: number
  readonly rowsSkipped: number
  readonly samples: number
  /** Of every stream, the number of its last sample that is not null. */
  readonly last: Float64Array
}

/** How far the parts of a result are stored. */
interface ResultProgress {
  /** The next part; 0 is the first, of streams to be made. */
  readonly part: number
  /** What samples of that part were assigned, when they were put before. */
  readonly assigned: readonly AssignedSpan[] | undefined
}

const FRAME = { part: 1, first: 2, values: 3, summary: 4, assigned: 5, stored: 6 } as const
const HEAD_BYTES = 9
const FRAME_BYTES_MAX = 256 * 1024 * 1024
/** Values that are remembered in one frame. */
const VALUES_PER_FRAME = 10_000

interface Place {
  readonly from: number
  readonly bytes: number
}

/** Where the results of runs lie in a data folder. */
export function resultFolder(dataDir: string): string {
  return join(dataDir, 'imports')
}

/** The file of one run. */
export class ResultFile {
  readonly #file: FileHandle
  readonly #path: string
  readonly #parts: Place[] = []
  readonly #values: Place[] = []
  #first: Place | undefined
  #summary: ResultSummary | undefined
  #progress: ResultProgress = { part: 0, assigned: undefined }
  #bytes = 0
  #report: ((progress: ResultProgress) => Promise<void>) | undefined

  private constructor(file: FileHandle, path: string) {
    this.#file = file
    this.#path = path
  }

  /** A file to be written, which is nothing until it is finished. */
  static async create(folder: string, runUid: string): Promise<ResultFile> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const path = resultPath(folder, runUid)
    return new ResultFile(await open(`${path}.tmp`, 'w+', 0o600), path)
  }

  /** The result of a run that was finished; undefined where there is none, or its end is not whole. */
  static async find(folder: string, runUid: string): Promise<ResultFile | undefined> {
    const path = resultPath(folder, runUid)
    let file: FileHandle
    try {
      file = await open(path, constants.O_RDWR)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
    const found = new ResultFile(file, path)
    try {
      await found.#scan()
    } catch (error) {
      await file.close()
      throw error
    }
    if (found.#summary !== undefined && found.#first !== undefined) return found
    await found.remove()
    return undefined
  }

  /** Removes the result of a run, if there is one. */
  static async removeOf(folder: string, runUid: string): Promise<void> {
    await rm(resultPath(folder, runUid), { force: true })
  }

  /** Removes the results of all runs but some: nobody goes on with them. */
  static async removeOthers(folder: string, isKept: (runUid: string) => boolean): Promise<void> {
    const names = await readdir(folder).catch(() => [])
    for (const name of names) {
      if (/\.(?:result|tmp)$/.test(name) && !isKept(name.split('.')[0]))
        await rm(join(folder, name), { force: true })
    }
  }

  /** How many parts there are beside the first. */
  get partCount(): number {
    return this.#parts.length
  }

  get progress(): ResultProgress {
    return this.#progress
  }

  get summary(): ResultSummary {
    if (this.#summary === undefined) throw new Error('BUG: a result is not finished')
    return this.#summary
  }

  async addPart(part: ResultPart): Promise<void> {
    this.#parts.push(await this.#append(FRAME.part, part))
  }

  /** Adds all else; the result has its name, durably, when it resolves. */
  async finish(
    first: FirstPart,
    imported: ReadonlyMap<string, string>,
    summary: ResultSummary,
  ): Promise<void> {
    this.#first = await this.#append(FRAME.first, first)
    let some: [string, string][] = []
    for (const value of imported) {
      some.push(value)
      if (some.length < VALUES_PER_FRAME) continue
      this.#values.push(await this.#append(FRAME.values, some))
      some = []
    }
    if (some.length > 0) this.#values.push(await this.#append(FRAME.values, some))
    await this.#append(FRAME.summary, summary)
    this.#summary = summary
    await this.#file.datasync()
    await rename(`${this.#path}.tmp`, this.#path)
    const folder = await open(join(this.#path, '..'), constants.O_RDONLY)
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  }

  async readFirst(): Promise<FirstPart> {
    if (this.#first === undefined) throw new Error('BUG: a result is not finished')
    return (await this.#read(this.#first)) as FirstPart
  }

  async readPart(number: number): Promise<ResultPart> {
    return (await this.#read(this.#parts[number])) as ResultPart
  }

  /** What is remembered of the run, once it is stored. */
  async readImported(): Promise<Map<string, string>> {
    const imported = new Map<string, string>()
    for (const place of this.#values) {
      for (const [key, value] of (await this.#read(place)) as [string, string][]) {
        imported.set(key, value)
      }
    }
    return imported
  }

  /** From then on calls back with the progress of storing. */
  reportProgress(report: (progress: ResultProgress) => Promise<void>): void {
    this.#report = report
  }

  /** Goes on where another process has come to. */
  goOnAt(progress: ResultProgress): void {
    this.#progress = progress
  }

  /** Notes what the samples of a part are assigned; durable when it resolves. */
  async noteAssigned(part: number, spans: readonly AssignedSpan[]): Promise<void> {
    await this.#report?.({ part, assigned: spans })
    await this.#append(FRAME.assigned, { part, spans })
    await this.#file.datasync()
    this.#progress = { part, assigned: spans }
  }

  /** Notes that a part is stored. A crash may lose that: the part is then put where it was put. */
  async noteStored(part: number): Promise<void> {
    await this.#report?.({ part: part + 1, assigned: undefined })
    await this.#append(FRAME.stored, { part })
    this.#progress = { part: part + 1, assigned: undefined }
  }

  async close(): Promise<void> {
    await this.#file.close()
  }

  /** Closes and removes the file. */
  async remove(): Promise<void> {
    await this.#file.close()
    await rm(`${this.#path}.tmp`, { force: true })
    await rm(this.#path, { force: true })
  }

  async #append(kind: number, body: unknown): Promise<Place> {
    const bytes = serialize(body)
    const head = Buffer.alloc(HEAD_BYTES)
    head.writeUInt32LE(bytes.length, 0)
    head.writeUInt32LE(crc32(bytes), 4)
    head.writeUInt8(kind, 8)
    const place = { from: this.#bytes, bytes: bytes.length }
    await this.#file.writev([head, bytes], place.from)
    this.#bytes += HEAD_BYTES + bytes.length
    return place
  }

  async #read({ from, bytes }: Place): Promise<unknown> {
    const frame = Buffer.allocUnsafe(HEAD_BYTES + bytes)
    const { bytesRead } = await this.#file.read(frame, 0, frame.length, from)
    const body = frame.subarray(HEAD_BYTES)
    if (bytesRead !== frame.length || crc32(body) !== frame.readUInt32LE(4)) {
      throw new Error('The checksum of an import result is wrong')
    }
    return deserialize(body)
  }

  /** Finds the frames, and how far the last process came; what a crash has cut off at the end is left out. */
  async #scan(): Promise<void> {
    const { size } = await this.#file.stat()
    const head = Buffer.alloc(HEAD_BYTES)
    while (this.#bytes + HEAD_BYTES <= size) {
      await this.#file.read(head, 0, HEAD_BYTES, this.#bytes)
      const place = { from: this.#bytes, bytes: head.readUInt32LE(0) }
      const end = place.from + HEAD_BYTES + place.bytes
      if (place.bytes > FRAME_BYTES_MAX || end > size) return
      if (!(await this.#note(head.readUInt8(8), place))) return
      this.#bytes = end
    }
  }

  async #note(kind: number, place: Place): Promise<boolean> {
    if (kind === FRAME.part) this.#parts.push(place)
    else if (kind === FRAME.first) this.#first = place
    else if (kind === FRAME.values) this.#values.push(place)
    else {
      const body = await this.#read(place).catch(() => undefined)
      if (body === undefined) return false
      if (kind === FRAME.summary) this.#summary = body as ResultSummary
      else if (kind === FRAME.assigned) {
        const { part, spans } = body as { part: number; spans: readonly AssignedSpan[] }
        this.#progress = { part, assigned: spans }
      } else if (kind === FRAME.stored) {
        this.#progress = { part: (body as { part: number }).part + 1, assigned: undefined }
      }
    }
    return true
  }
}

/** Where the finished result of a run lies. */
export function resultPath(folder: string, runUid: string): string {
  return join(folder, `${runUid}.result`)
}
