/**
 * Files in streams. Order of durability: body, then the sample that names it, then the body that
 * sample replaced goes; so a sample never names a body that is not whole. What a crash leaves over
 * is a body without a sample, which the sweep removes.
 */
import type { Readable } from 'node:stream'
import type { Principal } from '../access/index.ts'
import { type EpochMs, epochMs, invariant, type Log, refuse } from '../base/index.ts'
import type { CreationRules, WantedComponent } from '../catalog/create/index.ts'
import { POINT } from '../catalog/shape/index.ts'
import {
  addressPath,
  type Feed,
  factsOf,
  factsOfPrepared,
  feedName,
  findStreams,
  type OneStreamPath,
  requireCreation,
  requireStream,
  type StreamFacts,
} from '../feed/index.ts'
import { placeTime, requireDefinition, textBytesInJournal, whyUnplaced } from '../feed/put/index.ts'
import {
  BlobDamaged,
  type BlobInfo,
  type BlobStore,
  type KeptRoom,
  type SampleBatch,
  type SampleStore,
  type ScrubFinding,
  type StreamHandle,
} from '../store/index.ts'
import { damagedFile } from './damaged-file.ts'
import { checkFileName } from './file-name.ts'
import { type FileRecord, fileUrl, readFileRecord, writeFileRecord } from './file-record.ts'
import type { FileRoom, FileUsage } from './file-usage.ts'

/** A file to be put. */
export type PutFile = OneStreamPath & {
  readonly name: string
  /** undefined: the server assigns one. */
  readonly time: EpochMs | undefined
  /** How a missing component or stream is created, by IDs. */
  readonly creation: CreationRules
}

/** A body on its way in, and what its sender says it is. */
export interface Upload {
  readonly type: string
  readonly body: AsyncIterable<Uint8Array>
  /** How long the body will be, where that is known before it has come. */
  readonly bytes?: number
}

/** Who puts a file, and who that is when the body has come: rights may end while it does. */
interface FilePutter {
  readonly principal: Principal
  renew(): Promise<Principal>
}

/** Where a file was put, and what its sender should hear beside that. */
interface StoredFile {
  readonly time: EpochMs
  readonly url: string
  readonly warnings: readonly string[]
}

/** A stored file and, when a range of it was asked for, its bytes. */
interface OpenedFile {
  readonly record: FileRecord
  readonly body: Readable | undefined
}

/** Chooses the bytes to read of a file, half-open; undefined: none. */
type ChooseRange = (
  record: FileRecord,
) => { readonly start: number; readonly end: number } | undefined

interface FileServiceDeps {
  readonly feed: Feed
  readonly store: SampleStore
  readonly blobs: BlobStore
  readonly log: Log
  readonly fileBytesMax: number
  readonly usage: FileUsage
  /** Called with each time whose stored body turns out to be damaged. */
  readonly onDamage: (finding: ScrubFinding) => void
}

/** A file whose body is whole, and the text of the sample that will name it. */
interface ArrivedFile {
  readonly command: PutFile
  readonly blob: BlobInfo
  readonly text: string
  readonly uploadTime: EpochMs
}

/** A file's record and the sample that holds it. */
interface FoundFile {
  readonly record: FileRecord
  readonly handle: StreamHandle
  readonly time: EpochMs
}

/** Puts files into streams and gets them back. */
export class FileService {
  readonly #deps: FileServiceDeps

  constructor(deps: FileServiceDeps) {
    this.#deps = deps
  }

  /** The most bytes a file may have. */
  get fileBytesMax(): number {
    return this.#deps.fileBytesMax
  }

  /**
   * Stores a file: resolves when body and sample are durable. Everything that can be refused without
   * the body is refused before `openUpload` is asked for it; nothing is created until it is whole.
   */
  async put(
    { principal, renew }: FilePutter,
    command: PutFile,
    openUpload: () => Promise<Upload>,
  ): Promise<StoredFile> {
    const uploadTime = this.#deps.feed.now()
    checkFileName(command.name)
    this.#requireWritable()
    await this.#requireTarget(principal, command)
    const replacedBytes = await this.#replacedBytes(principal, command)
    using room = await this.#deps.usage.openRoom(principal.orgUid, replacedBytes)
    const { type, body, bytes = 0 } = await openUpload()
    room.take(bytes)
    const blob = await this.#deps.blobs.put(within(body, room, bytes), {
      bytesMax: this.#deps.fileBytesMax,
    })
    const text = writeFileRecord({ ...blob, name: command.name, type })
    const file = { command, blob, uploadTime, text }
    const { handle, kept } = await this.#openTarget(renew, file)
    const path = 'compId' in command ? addressPath(this.#deps.feed.catalog.index, handle) : command
    try {
      const { time, warnings } = await this.#land(principal.orgUid, { ...file, handle, kept })
      return { time, url: fileUrl({ ...path, time, name: command.name }), warnings }
    } finally {
      kept.release()
    }
  }

  /** The stream of a body that has come, and room for its sample: without that the stream would stay, and hold nothing. */
  async #openTarget(
    renew: FilePutter['renew'],
    { command, blob, text }: ArrivedFile,
  ): Promise<{ handle: StreamHandle; kept: KeptRoom }> {
    let kept: KeptRoom | undefined
    try {
      kept = await this.#deps.store.keepRoom(textBytesInJournal(text))
      return { handle: await this.#createTarget(await renew(), command), kept }
    } catch (cause) {
      kept?.release()
      await this.#deps.blobs.delete(blob.key)
      throw cause
    }
  }

  /**
   * The newest file of a stream or the one at a time, and the bytes of it that are wanted. Rejects
   * with BlobDamaged, or ends the body with it, where what is stored is not what was put.
   */
  async open(
    principal: Principal,
    path: OneStreamPath & { readonly time: EpochMs | undefined },
    chooseRange: ChooseRange,
  ): Promise<OpenedFile> {
    const found = await this.#findFile(principal, path)
    const opened = await this.#openBody(found, chooseRange)
    if (opened !== undefined) return opened
    // Between the two looks the file may have been replaced, and its body have gone.
    const again = await this.#findFile(principal, path)
    const isAnother = again.record.key !== found.record.key
    const openedAgain = isAnother ? await this.#openBody(again, chooseRange) : undefined
    if (openedAgain !== undefined) return openedAgain
    this.#reportDamage(again, 'it is missing')
    return refuse('file_not_found', { what: `The content of file "${again.record.name}" is lost` })
  }

  async #openBody(found: FoundFile, chooseRange: ChooseRange): Promise<OpenedFile | undefined> {
    const { record } = found
    const range = chooseRange(record)
    if (range === undefined) return { record, body: undefined }
    const noteDamage = (cause: unknown) => {
      if (cause instanceof BlobDamaged) this.#reportDamage(found, cause.message)
    }
    try {
      const body = await this.#deps.blobs.read(record, range)
      body?.once('error', noteDamage)
      return body === undefined ? undefined : { record, body }
    } catch (cause) {
      noteDamage(cause)
      throw cause
    }
  }

  #reportDamage({ record, handle, time }: FoundFile, what: string): void {
    const finding = damagedFile({ record, handle, time }, what)
    this.#deps.log.error({ finding, key: record.key }, 'the body of a file is missing or damaged')
    this.#deps.onDamage(finding)
  }

  async #findFile(
    principal: Principal,
    path: OneStreamPath & { readonly time: EpochMs | undefined },
  ): Promise<FoundFile> {
    const { feed, store } = this.#deps
    const [handle] = findStreams(feed.catalog.index, principal, path, 'GET').handles
    const facts = factsOf(feed.catalog.index, handle)
    refusePointStream(facts, shownOf(path))
    if (path.time === undefined) {
      const [sample] = facts.valueType === 'FILE' ? await store.latest([handle]) : []
      if (sample !== undefined)
        return { record: readFileRecord(String(sample.value)), handle, time: sample.time }
      return refuse('file_not_found', { what: `Stream "${shownOf(path)}" has no file` })
    }
    const time = placeTime(facts.baseCycle, path.time) ?? path.time
    const text = await this.#textAt(handle, time)
    if (text !== undefined && facts.valueType === 'FILE')
      return { record: readFileRecord(text), handle, time }
    const what = `Stream "${shownOf(path)}" has no file at time ${path.time}`
    return refuse('file_not_found', { what })
  }

  /** A body whose sample cannot follow would only fill the disk. */
  #requireWritable(): void {
    const reason = this.#deps.store.status().readOnlyReason
    if (reason === undefined) return
    refuse('read_only', { what: `Cannot store this file: ${reason}`, retryAfterSeconds: 5 })
  }

  /** Refuses a put whose stream takes no files, or that may not be created. */
  async #requireTarget(principal: Principal, command: PutFile): Promise<void> {
    const { catalog } = this.#deps.feed
    if (this.#findStream(principal, command) !== 0) return
    const { streams } = await catalog.planCreate(principal.orgUid, wantedBy(command))
    requireFileStream(factsOfPrepared(streams[0]), shownOf(command))
  }

  /** The bytes of the file that a put replaces, as far as it is known before the body arrives. */
  async #replacedBytes(principal: Principal, command: PutFile): Promise<number> {
    const handle = this.#findStream(principal, command)
    if (handle === 0 || command.time === undefined) return 0
    const facts = factsOf(this.#deps.feed.catalog.index, handle)
    const time = placeTime(facts.baseCycle, command.time)
    const text = time === undefined ? undefined : await this.#textAt(handle, time)
    return text === undefined || facts.valueType !== 'FILE' ? 0 : readFileRecord(text).bytes
  }

  /** The stream of a put, made and given its type where that is missing. */
  async #createTarget(principal: Principal, command: PutFile): Promise<StreamHandle> {
    const { catalog } = this.#deps.feed
    const handle =
      this.#findStream(principal, command) || (await this.#createStream(principal.orgUid, command))
    if (factsOf(catalog.index, handle).valueType === '')
      await catalog.applyInferredTypes([{ handle, valueType: 'FILE' }])
    // A put of samples may have been faster and made the stream one of its values.
    requireFileStream(factsOf(catalog.index, handle), shownOf(command))
    return handle
  }

  async #createStream(orgUid: string, command: PutFile): Promise<StreamHandle> {
    const { catalog } = this.#deps.feed
    const [created] = await catalog.autoCreate(orgUid, [wantedBy(command)], ([{ streams }]) =>
      requireFileStream(factsOfPrepared(streams[0]), shownOf(command)),
    )
    return created.handles[0]
  }

  /** The stream of a put, 0 when it is to be created; refuses what the caller may not do. */
  #findStream(principal: Principal, command: PutFile): StreamHandle | 0 {
    const { index } = this.#deps.feed.catalog
    if ('componentUid' in command) {
      const [handle] = findStreams(index, principal, command, 'PUT').handles
      requireFileStream(factsOf(index, handle), shownOf(command))
      return handle
    }
    const { compId, streamId } = command
    const component = index.resolveComponent(principal.orgUid, compId)
    const handle = component === undefined ? 0 : index.resolveStream(component, streamId)
    if (handle !== 0) {
      requireStream(index, principal, handle, { method: 'PUT', shown: feedName(compId) })
      requireFileStream(factsOf(index, handle), shownOf(command))
      return handle
    }
    const what = component === undefined ? `component "${compId}"` : `stream "${streamId}"`
    requireCreation(principal, what, component)
    requireDefinition(command.creation)
    return 0
  }

  async #land(
    orgUid: string,
    file: ArrivedFile & { readonly handle: StreamHandle; readonly kept: KeptRoom },
  ): Promise<Pick<StoredFile, 'time' | 'warnings'>> {
    const { feed, blobs, usage } = this.#deps
    const { handle, command, blob, text, kept } = file
    const facts = factsOf(feed.catalog.index, handle)
    const assigned =
      command.time === undefined
        ? await feed.assignTime(handle, file.uploadTime)
        : { time: command.time, warnings: [] }
    const asked = assigned.time
    const time = placeTime(facts.baseCycle, asked)
    if (time === undefined) {
      await blobs.delete(blob.key)
      const why = whyUnplaced(facts.baseCycle, asked)
      return refuse('bad_input', { what: `Cannot store a file at time ${asked}: it ${why}` })
    }
    return await usage.change([handle], async (note) => {
      const before = await this.#textAt(handle, time)
      const replaced = before === undefined ? undefined : readFileRecord(before)
      // A failed append leaves it open whether the sample is on disk: the body is left to the sweep.
      const warnings = await feed.append(batchOf(handle, time, text), orgUid, kept)
      note(handle, blob.bytes - (replaced?.bytes ?? 0))
      if (replaced !== undefined) await blobs.delete(replaced.key)
      return { time, warnings: [...assigned.warnings, ...warnings] }
    })
  }

  async #textAt(handle: StreamHandle, time: EpochMs): Promise<string | undefined> {
    const query = { from: time, until: epochMs(time + 1), limit: 1, order: 'latest_first' } as const
    const { texts } = await this.#deps.store.range(handle, query)
    return texts?.[0]
  }
}

function batchOf(handle: StreamHandle, time: EpochMs, text: string): SampleBatch {
  return {
    count: 1,
    handles: Uint32Array.of(handle),
    times: Float64Array.of(time),
    numbers: new Float64Array(1),
    texts: [text],
    removals: [],
  }
}

/** The same body, which takes room for what is beyond the bytes that have theirs. */
async function* within(
  body: AsyncIterable<Uint8Array>,
  room: FileRoom,
  announced: number,
): AsyncGenerator<Uint8Array> {
  let left = announced
  for await (const chunk of body) {
    room.take(Math.max(0, chunk.byteLength - left))
    left = Math.max(0, left - chunk.byteLength)
    yield chunk
  }
}

function wantedBy(command: PutFile): WantedComponent {
  invariant('compId' in command, 'requests by UID create nothing')
  const { compId, streamId, creation } = command
  return { compId, rules: creation, streams: [{ streamId, valueType: 'FILE' }] }
}

/** What a refusal calls a stream: as the caller has named it. */
function shownOf(path: OneStreamPath): string {
  return 'streamId' in path ? path.streamId : path.streamUid
}

/** Refuses a stream that cannot hold files; one without a type yet may become one that can. */
function requireFileStream(
  facts: Pick<StreamFacts, 'kind' | 'isDerived' | 'valueType'>,
  streamId: string,
): void {
  refusePointStream(facts, streamId)
  if (facts.isDerived)
    refuse('bad_input', {
      what: `Stream "${streamId}" is derived by an expression and accepts no files`,
    })
  if (facts.valueType !== '' && facts.valueType !== 'FILE') {
    const what = `Stream "${streamId}" has values of type ${facts.valueType}, not files. Use another stream`
    refuse('bad_input', { what })
  }
}

function refusePointStream({ kind }: Pick<StreamFacts, 'kind'>, streamId: string): void {
  if (kind === POINT)
    refuse('bad_input', {
      what: `Stream "${streamId}" is a point stream, which cannot store files`,
    })
}
