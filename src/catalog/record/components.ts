import { allows, type Method, type Principal, requirePermit } from '../../access/index.ts'
import { newComponentUid, newOrderedUid, PAGE_LIMIT_MAX, refuse } from '../../base/index.ts'
import {
  CatalogDamaged,
  type CatalogWrite,
  type PutDocument,
  type StoredComponent,
} from '../../store/index.ts'
import { commonFieldsOf, NewComponents } from '../create/new-components.ts'
import { type CatalogBase, folderWrites } from '../documents/catalog-base.ts'
import { inParallel } from '../documents/in-parallel.ts'
import { listPermittedComponents } from '../documents/list-permitted.ts'
import {
  type Author,
  changedFields,
  planChange,
  planUpdate,
  quoted,
} from '../documents/record-change.ts'
import { retryConflicts } from '../documents/retry-conflicts.ts'
import {
  type ComponentBody,
  type ComponentInput,
  type ComponentRecord,
  componentBodyOf,
  componentFieldsOf,
  componentShape,
  type UserReference,
} from '../shape/component-shape.ts'
import { ROOT_FOLDER, readFolder, storedFolder } from '../shape/folder-path.ts'
import { refuseField, shapeCheck } from '../shape/record-checks.ts'
import { definitionOfStream } from '../shape/stream-shape.ts'
import { ComponentNames, type NamedComponent } from './component-names.ts'
import { componentWrite, readComponent, showComponent } from './component-rules.ts'
import type { ComponentStreams } from './component-streams.ts'
import { readSearch, searchComponents } from './search-components.ts'
import {
  type Page,
  type RecordList,
  refuseStale,
  refuseTakenId,
  refuseUnknown,
} from './simple-records.ts'

const KIND = 'component'
const checkShape = shapeCheck(KIND, componentShape)

/** Components that are deleted at once where each waits for other processes. */
const DELETED_AT_ONCE = 50

interface FoundComponents {
  readonly components: StoredComponent[]
  readonly totalCount: number
}

interface Properties {
  readonly name: string
  readonly description: string
}

/** Get, list, insert, update and delete of components, each checked against the caller's rights. */
export class Components {
  readonly #base: CatalogBase
  readonly #streams: ComponentStreams
  readonly #names: ComponentNames

  constructor(base: CatalogBase, streams: ComponentStreams) {
    this.#base = base
    this.#streams = streams
    this.#names = new ComponentNames(base.documents, () => base.clock.now())
  }

  /** Reads the names of components in the background, so that the first search finds them in memory. */
  prepareSearch(orgUids: readonly string[], onFailure: (error: unknown) => void): void {
    this.#names.prepare(orgUids, onFailure)
  }

  /** All components of an organization in the order of folder and name. Does not check permissions. */
  async listed(orgUid: string): Promise<readonly NamedComponent[]> {
    return await this.#names.listed(orgUid)
  }

  /** Ends what runs in the background. */
  async close(): Promise<void> {
    await this.#names.close()
  }

  /** A component that is not saved, with the caller's defaults. */
  async make(principal: Principal): Promise<ComponentRecord> {
    requirePermit(principal, 'component', 'GET')
    const defaults = await this.#defaults(principal)
    const { lastOrdinal: _ordinal, addressedAs: _addresses, ...body } = defaults
    return { uid: '', ...body, revision: 0, streamCount: 0, stream: [] }
  }

  async get(principal: Principal, uid: string): Promise<ComponentRecord> {
    requirePermit(principal, `component/${uid}`, 'GET')
    return await this.#showWhole(principal, await this.#require(principal.orgUid, uid))
  }

  /** Name and description of the component of an ID. */
  async getProperties(principal: Principal, compId: string): Promise<Properties> {
    const uid = this.#requireProperties(principal, compId, 'GET')
    const component = await this.#require(principal.orgUid, uid)
    const { name, description } = componentBodyOf(component)
    return { name, description }
  }

  /** Sets what is read of name and description; read only once the right is known. */
  async setProperties(
    principal: Author,
    compId: string,
    read: () => Partial<Properties>,
  ): Promise<void> {
    const uid = this.#requireProperties(principal, compId, 'POST')
    const { name, description } = read()
    await this.#change(principal, uid, {
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
    })
  }

  /**
   * In the order of folder and name; a folder narrows the list to it and all below, or to what lies in itself,
   * a search to those that have its words. What is damaged is counted only.
   */
  async list(
    principal: Principal,
    page: Page & {
      readonly folder?: string
      readonly isDirect?: boolean
      readonly search?: string
      /** The one that has this ID alone. */
      readonly id?: string
    },
  ): Promise<RecordList<ComponentRecord>> {
    requirePermit(principal, 'component', 'GET')
    const folder = page.folder === undefined ? undefined : readFolder('folder', page.folder)
    const words = readSearch(page.search ?? '')
    const { components, totalCount } =
      page.id === undefined
        ? await this.#find(principal, { ...page, folder, words })
        : await this.#findById(principal, page.id)
    const { index } = this.#base.documents
    const records = components.flatMap((component) => {
      try {
        const entry = index.componentByUid(principal.orgUid, component.uid)
        return [showComponent(component, entry?.streamCount ?? 0)]
      } catch (error) {
        // How many streams it has is not known.
        if (error instanceof CatalogDamaged) return []
        throw error
      }
    })
    return { records, totalCount }
  }

  /** The one that has an ID, or none. */
  async #findById(principal: Principal, id: string): Promise<FoundComponents> {
    const { orgUid } = principal
    const { documents } = this.#base
    const find = () => documents.index.resolveComponent(orgUid, id)?.uid
    const uid = find() ?? (await documents.catchUps.whenMissing().then(find))
    const mayGet = uid !== undefined && allows(principal, `component/${uid}`, 'GET')
    const found = mayGet ? await documents.getComponent(orgUid, uid) : undefined
    return found === undefined
      ? { components: [], totalCount: 0 }
      : { components: [found], totalCount: 1 }
  }

  async #find(
    principal: Principal,
    page: Page & {
      readonly folder?: string
      readonly isDirect?: boolean
      readonly words: readonly string[]
    },
  ): Promise<FoundComponents> {
    const { start, limit, words, isDirect } = page
    const folder = storedFolder(page.folder ?? ROOT_FOLDER)
    const { documents } = this.#base
    const query = { folder, isDirect, start, limit }
    if (words.length === 0) return await listPermittedComponents(documents, principal, query)
    const search = { documents, names: this.#names }
    return await searchComponents(search, principal, { ...query, words })
  }

  async insert(principal: Author, input: unknown): Promise<ComponentRecord> {
    requirePermit(principal, 'component', 'PUT')
    checkShape(input)
    const { orgUid } = principal
    const fields = input as ComponentInput
    const uid = newComponentUid()
    const body = readComponent(fields, await this.#defaults(principal))
    await this.#refuseTaken(orgUid, uid, body.id)
    const detail = nameOf(body)
    await retryConflicts(this.#base.documents, async () => {
      const folders = await this.#folderWrites(orgUid, body.folder)
      const owner = { orgUid, uid, body, principal }
      const streams = await this.#streams.planInsert(owner, fields.stream ?? [])
      const created = new NewComponents(orgUid)
      const { id, name } = body
      const added = created.add(uid, id, name, commonFieldsOf(componentFieldsOf(body)))
      for (const stream of streams.bodies) {
        added.add(stream.id, stream.name, definitionOfStream(stream))
        if (stream.labels !== undefined) added.setLabels(added.count - 1, stream.labels)
      }
      const entries = planChange(principal, { kind: KIND, uid, verb: 'created', detail })
      const writes = [...folders, ...created.writes(), ...streams.writes]
      await this.#base.documents.commit(writes, entries)
    })
    return await this.#showWhole(principal, await this.#require(orgUid, uid))
  }

  /** Changes what the input names and keeps the rest; samples stay with their streams. */
  async update(principal: Author, uid: string, input: unknown): Promise<ComponentRecord> {
    requirePermit(principal, `component/${uid}`, 'POST')
    const { stream } = (input ?? {}) as ComponentInput
    if (stream !== undefined) requirePermit(principal, `component/${uid}/stream`, 'POST')
    const saved = await this.#change(principal, uid, input, (fields) => {
      for (const { uid: streamUid } of fields.stream ?? []) {
        if (streamUid) requirePermit(principal, `component/${uid}/stream/${streamUid}`, 'POST')
      }
    })
    return await this.#showWhole(principal, saved)
  }

  /**
   * As update, for clients in the field that name the UID in the record. They send back what they
   * were given earlier in the same sign-on, so the revision in it says nothing.
   */
  async updateNamed(principal: Author, input: unknown): Promise<ComponentRecord> {
    const { uid, revision: _, ...fields } = (input ?? {}) as { uid?: unknown; revision?: unknown }
    if (typeof uid !== 'string' || uid === '') {
      requirePermit(principal, 'component/*', 'POST')
      checkShape(input)
      refuseField('component.uid', 'must be the UID of the component to change')
    }
    return await this.update(principal, uid, fields)
  }

  async #change(
    principal: Author,
    uid: string,
    input: unknown,
    check: (fields: ComponentInput) => void = () => {},
  ): Promise<StoredComponent> {
    checkShape(input)
    const fields = input as ComponentInput
    check(fields)
    const { orgUid } = principal
    return await this.#base.locks.run(this.#streams.locksOf(uid, fields.stream), () =>
      retryConflicts(this.#base.documents, async () => {
        const before = await this.#require(orgUid, uid)
        refuseStale('component', fields.revision, before)
        const body = readComponent(fields, componentBodyOf(before))
        await this.#refuseTaken(orgUid, uid, body.id)
        const folders = await this.#folderWrites(orgUid, body.folder)
        const owner = { orgUid, uid, body, principal }
        const streams = await this.#streams.updateWrites(owner, fields.stream)
        const component = componentWrite({ orgUid, uid }, body, before.revision)
        const named = [
          ...changedFields(componentBodyOf(before), body),
          ...(streams.length === 0 ? [] : ['stream']),
        ]
        const about = { kind: KIND, uid, name: quoted(nameOf(body)), fields: named }
        const entries = planUpdate(principal, about)
        const writes = [...folders, component, ...streams]
        const { records } = await this.#base.documents.commit(writes, entries)
        return records.find((record) => record.kind === KIND) as StoredComponent
      }),
    )
  }

  /** Deletes the component with its streams and, through the listeners, their samples and files. */
  async delete(author: Author, uid: string): Promise<void> {
    await this.deleteWith(author, uid, (detail) =>
      planChange(author, { kind: KIND, uid, verb: 'deleted', detail }),
    )
  }

  /** As delete, with the entries of another change, such as that of the folder that it is in. */
  async deleteWith(
    principal: Principal,
    uid: string,
    entriesOf: (name: string) => readonly PutDocument[],
  ): Promise<void> {
    this.requireDeletable(principal, uid)
    await this.deleteByUid(principal.orgUid, uid, entriesOf)
  }

  /** Refuses with `forbidden` unless the caller may delete the component and each of its streams. */
  requireDeletable(principal: Principal, uid: string): void {
    requirePermit(principal, `component/${uid}`, 'DELETE')
    const { index } = this.#base.documents
    for (const handle of index.componentByUid(principal.orgUid, uid)?.streams ?? []) {
      const streamUid = index.streamUid(handle)
      const shown = 'a stream of this component'
      requirePermit(principal, `component/${uid}/stream/${streamUid}`, 'DELETE', shown)
    }
  }

  /** As deleteWith without a check of rights: for the deletion of a whole organization. */
  async deleteByUid(
    orgUid: string,
    uid: string,
    entriesOf: (name: string) => readonly PutDocument[] = () => [],
  ): Promise<void> {
    const { documents, locks } = this.#base
    await locks.run([uid], () =>
      retryConflicts(this.#base.documents, async () => {
        const component = await this.#require(orgUid, uid)
        // Deletes every stream of this revision, including streams that others created.
        await documents.followed()
        const { index } = documents
        const handles = index.componentByUid(orgUid, uid)?.streams ?? []
        const streams = handles.map((handle): CatalogWrite => {
          const stream = { orgUid, kind: 'stream', uid: index.streamUid(handle) }
          return { op: 'delete', ...stream, expectedRevision: 'any' }
        })
        const key = { orgUid, kind: KIND, uid, expectedRevision: component.revision }
        const entries = entriesOf(nameOf(component))
        await documents.commit([...streams, { op: 'delete', ...key }], entries)
      }),
    )
  }

  /** Deletes each: where deletes wait for other processes, many wait at once. */
  async deleteMany(
    uids: readonly string[],
    deleteOne: (uid: string) => Promise<void>,
  ): Promise<void> {
    const width = this.#base.documents.catchUps.isShared ? DELETED_AT_ONCE : 1
    await inParallel(uids, width, deleteOne)
  }

  /**
   * Refuses an ID that another component has, and fails for one that a component may have which cannot be read. The store
   * would refuse it too, but by an index that may be damaged.
   */
  async #refuseTaken(orgUid: string, uid: string, compId: string): Promise<void> {
    const { documents } = this.#base
    const isTaken = () => (documents.index.resolveComponent(orgUid, compId)?.uid ?? uid) !== uid
    if (!isTaken()) return
    // It may have been given another one meanwhile.
    await documents.followed()
    if (isTaken()) refuseTakenId(KIND, compId)
  }

  #requireProperties(principal: Principal, compId: string, method: Method): string {
    const entry = this.#base.documents.index.resolveComponent(principal.orgUid, compId)
    if (entry === undefined) {
      // A caller without any right to properties learns nothing about which components exist.
      requirePermit(principal, 'component/*/property', method)
      return refuse('component_not_found', { compId })
    }
    const shown = `the properties of component "${compId}"`
    requirePermit(principal, `component/${entry.uid}/property`, method, shown)
    return entry.uid
  }

  async #folderWrites(orgUid: string, path: string): Promise<CatalogWrite[]> {
    return await folderWrites(this.#base, orgUid, { path, makeUid: newOrderedUid })
  }

  async #showWhole(principal: Principal, component: StoredComponent): Promise<ComponentRecord> {
    const page = { start: 0, limit: PAGE_LIMIT_MAX }
    const { records, totalCount } = await this.#streams.page(principal, component.uid, page)
    return showComponent(component, totalCount, records)
  }

  async #require(orgUid: string, uid: string): Promise<StoredComponent> {
    const component = await this.#base.documents.getComponent(orgUid, uid)
    if (component === undefined) refuseUnknown('component', uid)
    return component
  }

  async #defaults(principal: Principal): Promise<ComponentBody> {
    const { people, clock } = this.#base
    const owner = await people.ownerOf(principal.orgUid)
    return {
      id: '',
      name: '',
      description: '',
      folder: ROOT_FOLDER,
      timeZoneId: owner.timeZoneId,
      creationDate: clock.now(),
      ownerUser: await this.#ownerUser(principal, owner),
      location: null,
      mainStream: '',
      lastOrdinal: 0,
      addressedAs: [],
    }
  }

  async #ownerUser(principal: Principal, owner: UserReference): Promise<UserReference> {
    const { actor } = principal
    if (actor.kind !== 'user') return { uid: owner.uid, name: owner.name }
    return { uid: actor.userUid, name: await this.#base.people.nameOf(actor.userUid) }
  }
}

/** What people know a component by. */
function nameOf({ id, name }: Pick<ComponentBody, 'id' | 'name'>): string {
  return id === '' ? name : id
}
