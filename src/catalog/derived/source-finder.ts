import type { Documents } from '../documents/documents.ts'
import type { ComponentEntry } from '../index/stream-index.ts'
import type { Derivation, DerivationVariable } from '../shape/derivation-shape.ts'
import { streamKindOf } from '../shape/stream-kind.ts'
import { type PlacedStreamBody, streamBodyOf } from '../shape/stream-shape.ts'
import type { ReadStream } from './variable-reading.ts'

/** A stream that formulas may read, as it is or is about to be saved. */
export interface SourceStream extends ReadStream {
  readonly uid: string
  readonly componentUid: string
  readonly id: string
  readonly name: string
  readonly derivation: Derivation | null
  /** 0 when it is part of the same save. */
  readonly revision: number
}

/** What a stream reads, by UID, each once. */
export interface StreamReads {
  readonly uid: string
  /** 0 when it is part of the same save. */
  readonly revision: number
  readonly sources: readonly string[]
}

/** A stream that is about to be saved. */
export interface DraftStream {
  readonly uid: string
  readonly body: PlacedStreamBody
}

/** Where sources are looked for. */
interface FinderScope {
  readonly orgUid: string
  /** The component that is saved; '' for a template. */
  readonly componentUid: string
  readonly componentId: string
  readonly drafts: readonly DraftStream[]
}

/** Finds streams of an organization, first among those that are about to be saved. */
export class SourceFinder {
  readonly #documents: Documents | undefined
  readonly #scope: FinderScope
  readonly #draftsByUid: Map<string, DraftStream>
  readonly #draftsById = new Map<string, DraftStream>()

  /** Without documents there are no streams but the drafts, as in templates. */
  constructor(documents: Documents | undefined, scope: FinderScope) {
    this.#documents = documents
    this.#scope = scope
    this.#draftsByUid = new Map(scope.drafts.map((draft) => [draft.uid, draft]))
    for (const draft of scope.drafts) {
      if (draft.body.id !== '') this.#draftsById.set(draft.body.id, draft)
    }
  }

  /** Takes a draft for what has been found out of it. */
  replace(draft: DraftStream): void {
    this.#draftsByUid.set(draft.uid, draft)
    if (draft.body.id !== '') this.#draftsById.set(draft.body.id, draft)
  }

  /** The source of a variable as it is kept. */
  async sourceOf({ streamUid, streamId }: DerivationVariable): Promise<SourceStream | undefined> {
    return streamUid === '' ? await this.byId('', streamId) : await this.stream(streamUid)
  }

  /** The UID of a component, by UID or else ID; '' for the one that is saved, undefined when there is none. */
  componentUidOf({ uid, id }: { readonly uid: string; readonly id: string }): string | undefined {
    if (uid === '' && id === '') return ''
    const index = this.#documents?.index
    const { orgUid, componentUid, componentId } = this.#scope
    const byUid = uid === '' ? undefined : index?.componentByUid(orgUid, uid)?.uid
    const isSaved = uid === componentUid || (byUid === undefined && id === componentId)
    if (isSaved || byUid !== undefined) return isSaved ? '' : byUid
    return id === '' ? undefined : index?.resolveComponent(orgUid, id)?.uid
  }

  /** The stream of a UID if it belongs to a component, '' being the one that is saved. */
  async byUid(componentUid: string, uid: string): Promise<SourceStream | undefined> {
    if (uid === '') return undefined
    const found = await this.stream(uid)
    const wanted = componentUid === '' ? this.#scope.componentUid : componentUid
    return found?.componentUid === wanted ? found : undefined
  }

  /** The stream of an ID in a component, '' being the one that is saved; a blank ID names none. */
  async byId(componentUid: string, id: string): Promise<SourceStream | undefined> {
    if (id === '') return undefined
    const draft = componentUid === '' ? this.#draftsById.get(id) : undefined
    if (draft !== undefined) return this.#ofDraft(draft)
    const entry = this.#entryOf(componentUid === '' ? this.#scope.componentUid : componentUid)
    const index = this.#documents?.index
    if (entry === undefined || index === undefined) return undefined
    const handle = index.resolveStream(entry, id)
    if (handle === 0) return undefined
    const uid = index.streamUid(handle)
    // One that this save gives another ID has this one no longer.
    return this.#draftsByUid.has(uid) ? undefined : await this.stream(uid)
  }

  /** The stream of a UID, wherever it is. */
  async stream(uid: string): Promise<SourceStream | undefined> {
    const draft = this.#draftsByUid.get(uid)
    if (draft !== undefined) return this.#ofDraft(draft)
    const { orgUid } = this.#scope
    const stored = await this.#documents?.getStream(orgUid, uid)
    if (stored === undefined) return undefined
    const { componentUid, revision } = stored
    return { uid, componentUid, revision, ...readStreamOf(streamBodyOf(stored)) }
  }

  /** What a stream reads; of derived streams that are not saved here memory knows it, and no record is read. */
  async readsOf(uid: string): Promise<StreamReads | undefined> {
    const draft = this.#draftsByUid.get(uid)
    if (draft !== undefined) return { uid, revision: 0, sources: this.#sourceUids(draft.body) }
    const { index, edges } = this.#documents ?? {}
    const isLiving = index?.hasLivingUid(uid) === true
    const handle = isLiving ? index.streamByUid(this.#scope.orgUid, uid) : 0
    const known = handle === 0 ? undefined : edges?.committed(handle)
    if (index !== undefined && known !== undefined) {
      const sources = known.sources.map((source) => index.streamUid(source))
      return { uid, revision: known.revision, sources }
    }
    const stream = await this.stream(uid)
    return stream && { uid, revision: stream.revision, sources: this.#sourceUids(stream) }
  }

  #sourceUids({ derivation }: { readonly derivation: Derivation | null }): string[] {
    const uids = (derivation?.variables ?? []).map(({ streamUid, streamId }) =>
      streamUid === '' ? this.#draftsById.get(streamId)?.uid : streamUid,
    )
    return [...new Set(uids.filter((uid) => uid !== undefined))]
  }

  /** How messages call a stream: by its own ID, or name where that is blank, and its component's. */
  nameOf({
    uid,
    componentUid,
    id,
    name,
  }: Pick<SourceStream, 'uid' | 'componentUid' | 'id' | 'name'>): string {
    const stream = id || name || uid
    const isOwn = componentUid === this.#scope.componentUid
    const component = isOwn ? '' : (this.#entryOf(componentUid)?.compId ?? '')
    return JSON.stringify(component === '' ? stream : `${component} / ${stream}`)
  }

  #entryOf(componentUid: string): ComponentEntry | undefined {
    if (componentUid === '') return undefined
    return this.#documents?.index.componentByUid(this.#scope.orgUid, componentUid)
  }

  #ofDraft({ uid, body }: DraftStream): SourceStream {
    return { uid, componentUid: this.#scope.componentUid, revision: 0, ...readStreamOf(body) }
  }
}

function readStreamOf(body: PlacedStreamBody) {
  const { id, name, valueType, grid, rollupMethod, derivation } = body
  const kind = streamKindOf(body.streamType)
  return { id, name, kind, valueType, grid, rollupMethod, derivation }
}
