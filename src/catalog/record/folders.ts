import type { Static } from 'typebox'
import { type Method, type Principal, requirePermit } from '../../access/index.ts'
import { newUid, refuse, Type } from '../../base/index.ts'
import type {
  CatalogDocument,
  CatalogWrite,
  DocumentKey,
  PutDocument,
  StoredComponent,
} from '../../store/index.ts'
import { type CatalogBase, folderClaim, folderWrites } from '../documents/catalog-base.ts'
import { forbiddenUids, listPermitted } from '../documents/list-permitted.ts'
import { type Author, planChange, quoted } from '../documents/record-change.ts'
import { isMarkConflict } from '../documents/record-uses.ts'
import { retryConflicts } from '../documents/retry-conflicts.ts'
import { whileUnused } from '../documents/while-unused.ts'
import { componentBodyOf } from '../shape/component-shape.ts'
import {
  catalogFolder,
  PATH_LENGTH_MAX,
  ROOT_FOLDER,
  readFolder,
  storedFolder,
} from '../shape/folder-path.ts'
import { refuseField, shapeCheck } from '../shape/record-checks.ts'
import { componentWrite } from './component-rules.ts'
import type { Components } from './components.ts'
import { type Page, type RecordList, refuseUnknown } from './simple-records.ts'

/** What a caller may say about a folder. */
export const folderShape = Type.Object({
  path: Type.Optional(
    Type.String({
      maxLength: PATH_LENGTH_MAX,
      description: 'Starts with /Components; folders above are created if missing',
    }),
  ),
})

/** A folder as callers see it. */
type FolderRecord = {
  readonly uid: string
  readonly path: string
  readonly name: string
  readonly revision: number
}

/** A component in its folder, as the call that put it there shows it. */
type FiledComponent = {
  readonly uid: string
  readonly contentType: 'component'
  readonly parentFolderUid: string
  /** The folder's path. */
  readonly path: string
  /** The component's name. */
  readonly name: string
}

const KIND = 'component_folder'
const KIND_INSIDE = 'component'
const checkShape = shapeCheck(KIND, folderShape)
/** Moving and deleting a folder handles its content in batches of this size. */
const BATCH = 500

/** Get, list, insert, move and delete of folders; /Components itself is always there. */
export class Folders {
  readonly #base: CatalogBase
  readonly #components: Components

  constructor(base: CatalogBase, components: Components) {
    this.#base = base
    this.#components = components
  }

  /** A folder that is not saved. */
  make(principal: Principal): FolderRecord {
    requirePermit(principal, 'component_folder', 'GET')
    return { uid: '', path: `${ROOT_FOLDER}/New folder`, name: 'New folder', revision: 0 }
  }

  async get(principal: Principal, uid: string): Promise<FolderRecord> {
    requirePermit(principal, `component_folder/${uid}`, 'GET')
    return showFolder(await this.#require(principal.orgUid, uid))
  }

  /** In the order of their paths. */
  async list(principal: Principal, page: Page): Promise<RecordList<FolderRecord>> {
    requirePermit(principal, 'component_folder', 'GET')
    const query = { orgUid: principal.orgUid, kind: 'component_folder', ...page }
    const { documents, totalCount } = await listPermitted(this.#base.documents, principal, query)
    return { records: documents.map(showFolder), totalCount }
  }

  async insert(principal: Author, input: unknown): Promise<FolderRecord> {
    requirePermit(principal, 'component_folder', 'PUT')
    const path = readPath(input)
    const { orgUid } = principal
    return await retryConflicts(this.#base.documents, async () => {
      const writes = await folderWrites(this.#base, orgUid, { path, makeUid: newUid })
      const made = writes.find((write) => write.op === 'put' && write.body.path === path)
      if (made === undefined) refuseTakenPath(path)
      const { uid } = made
      const entries = planChange(principal, { kind: KIND, uid, verb: 'created', detail: path })
      const { records } = await this.#base.documents.commit(writes, entries)
      return showFolder(records[records.length - 1] as CatalogDocument)
    })
  }

  /**
   * Puts a component into the folder whose UID is read, once the right is known; a blank one means
   * /Components itself.
   */
  async file(
    principal: Author,
    componentUid: string,
    readFolderUid: () => string,
  ): Promise<FiledComponent> {
    const { orgUid } = principal
    requirePermit(principal, `component/${componentUid}`, 'POST')
    const folderUid = readFolderUid()
    const component = await this.#base.documents.getComponent(orgUid, componentUid)
    if (component === undefined) refuseUnknown('component', componentUid)
    if (folderUid !== '') requirePermit(principal, `component_folder/${folderUid}`, 'GET')
    const path = folderUid === '' ? ROOT_FOLDER : pathOf(await this.#require(orgUid, folderUid))
    const { folder, name } = componentBodyOf(component)
    if (folder !== path) await this.#components.update(principal, componentUid, { folder: path })
    return { uid: componentUid, contentType: 'component', parentFolderUid: folderUid, path, name }
  }

  /** Moves or renames a folder with everything in it. */
  async update(principal: Author, uid: string, input: unknown): Promise<FolderRecord> {
    requirePermit(principal, `component_folder/${uid}`, 'POST')
    const { orgUid } = principal
    const before = await this.#require(orgUid, uid)
    const from = pathOf(before)
    const path = (input as { path?: unknown } | null)?.path === undefined ? from : readPath(input)
    if (path === from) return showFolder(before)
    if (path === ROOT_FOLDER) refuseTakenPath(path)
    if (path.startsWith(`${from}/`)) {
      refuseField('component_folder.path', `"${path}" is inside the folder to move`)
    }
    if ((await this.#base.documents.findByClaim(orgUid, folderClaim(path))) !== undefined) {
      refuseTakenPath(path)
    }
    await this.#requirePermitInside(principal, from, 'POST')
    const detail = `${quoted(from)} to ${quoted(path)}`
    const first = onlyFirst(() =>
      planChange(principal, { kind: KIND, uid, verb: 'updated', detail }),
    )
    await this.#whileUnused(before, async (unmark) => {
      await this.#moveComponents(orgUid, { from, path, first })
      await this.#moveFolders(before, { path, unmark, first })
    })
    return showFolder(await this.#require(orgUid, uid))
  }

  /** Deletes the folder and everything in it: components, their streams, samples and files too. */
  async delete(principal: Author, uid: string): Promise<void> {
    requirePermit(principal, `component_folder/${uid}`, 'DELETE')
    const { orgUid } = principal
    const folder = await this.#require(orgUid, uid)
    const path = pathOf(folder)
    await this.#requirePermitInside(principal, path, 'DELETE')
    await this.#requireDeletableInside(principal, path)
    const { totalCount } = await this.#componentsIn(orgUid, path)
    const detail = `${path} with ${totalCount} components`
    const first = onlyFirst(() =>
      planChange(principal, { kind: KIND, uid, verb: 'deleted', detail }),
    )
    await this.#whileUnused(folder, async (unmark) => {
      for (;;) {
        const { components } = await this.#componentsIn(orgUid, path)
        if (components.length === 0) break
        const deleteOne = async (componentUid: string): Promise<void> => {
          await this.#components.deleteWith(principal, componentUid, first.plan)
          first.done()
        }
        const [one, ...others] = components.map((component) => component.uid)
        await deleteOne(one)
        await this.#components.deleteMany(others, deleteOne)
      }
      await this.#deleteFolders(folder, unmark, first)
    })
  }

  /** Deletes a folder without components, those below it first. */
  async #deleteFolders(
    folder: CatalogDocument,
    unmark: CatalogWrite,
    first: FirstEntries,
  ): Promise<void> {
    for (;;) {
      const { documents } = await this.#foldersIn(folder.orgUid, pathOf(folder))
      const isLast = documents.length === 0
      const gone = isLast ? [folder] : documents
      // Whatever is put into the folder takes the mark away, and this commit comes to nothing.
      const mark: CatalogWrite = isLast ? unmark : { ...unmark, op: 'expect' }
      const writes = [...gone.map((one) => deleteWrite(one)), mark]
      await this.#base.documents.commit(writes, first.plan())
      first.done()
      if (isLast) return
    }
  }

  /**
   * Runs an attempt to empty a folder and to commit its end; again when something was put into it
   * meanwhile. Moves and deletions of one folder take turns.
   */
  async #whileUnused(
    folder: CatalogDocument,
    attempt: (unmark: CatalogWrite) => Promise<void>,
  ): Promise<void> {
    await this.#base.locks.run([folder.uid], () =>
      whileUnused(this.#base.documents, folder, async (unmark) => {
        const { revision } = await this.#require(folder.orgUid, folder.uid)
        refuseMoved(revision, folder)
        await attempt(unmark)
      }),
    )
  }

  /** A right on folders alone does not reach the components in them. */
  async #requirePermitInside(principal: Principal, path: string, method: Method): Promise<void> {
    const { orgUid } = principal
    const { documents } = this.#base
    const { totalCount } = await this.#componentsIn(orgUid, path)
    if (totalCount > 0) requirePermit(principal, KIND_INSIDE, method)
    for (const uid of forbiddenUids(principal, KIND_INSIDE, method)) {
      const component = await documents.getComponent(orgUid, uid)
      const isInside = `${catalogFolder(component?.folder ?? '')}/`.startsWith(`${path}/`)
      if (component !== undefined && isInside) refuseInside(principal, KIND_INSIDE, uid, method)
    }
    for (const uid of forbiddenUids(principal, KIND, method)) {
      const folder = await documents.get({ orgUid, kind: KIND, uid })
      const isInside = folder?.listKey.startsWith(`${path}/`) === true
      if (isInside) refuseInside(principal, KIND, uid, method)
    }
  }

  /** Streams go with their components: one that must stay is found before anything is gone. */
  async #requireDeletableInside(principal: Principal, path: string): Promise<void> {
    for (let start = 0; ; start += BATCH) {
      const { components } = await this.#componentsIn(principal.orgUid, path, start)
      for (const { uid } of components) this.#components.requireDeletable(principal, uid)
      if (components.length < BATCH) return
    }
  }

  async #moveComponents(
    orgUid: string,
    { from, path, first }: { from: string; path: string; first: FirstEntries },
  ): Promise<void> {
    const moved = (folder: string) => path + folder.slice(from.length)
    for (;;) {
      const { components } = await this.#componentsIn(orgUid, from)
      if (components.length === 0) return
      await this.#base.locks.run(
        components.map(({ uid }) => uid),
        () => this.#moveBatch(orgUid, components, { moved, first }),
      )
    }
  }

  async #moveBatch(
    orgUid: string,
    listed: readonly StoredComponent[],
    { moved, first }: { moved: (folder: string) => string; first: FirstEntries },
  ): Promise<void> {
    await retryConflicts(this.#base.documents, async () => {
      const writes: CatalogWrite[] = []
      for (const { uid } of listed) {
        const component = await this.#base.documents.getComponent(orgUid, uid)
        if (component === undefined) continue
        const body = componentBodyOf(component)
        const after = { ...body, folder: moved(body.folder) }
        writes.push(componentWrite({ orgUid, uid }, after, component.revision))
      }
      await this.#base.documents.commit(writes, first.plan())
      first.done()
    })
  }

  async #moveFolders(
    self: CatalogDocument,
    { path, unmark, first }: { path: string; unmark: CatalogWrite; first: FirstEntries },
  ): Promise<void> {
    const { orgUid } = self
    const from = pathOf(self)
    const attempt = async () => {
      const below = [await this.#require(orgUid, self.uid)]
      for (let start = 0; ; start += BATCH) {
        const { documents } = await this.#foldersIn(orgUid, from, start)
        below.push(...documents)
        if (documents.length < BATCH) break
      }
      const parent = path.slice(0, path.lastIndexOf('/'))
      const writes = await folderWrites(this.#base, orgUid, {
        path: parent,
        makeUid: newUid,
      })
      for (const folder of below) {
        writes.push(folderWrite(folder, path + pathOf(folder).slice(from.length)))
      }
      await this.#base.documents.commit([...writes, unmark], first.plan())
    }
    await retryConflicts(this.#base.documents, attempt, { isPassed: isMarkConflict })
  }

  /** Components in a folder and below. */
  async #componentsIn(orgUid: string, path: string, start = 0) {
    const query = { orgUid, folder: storedFolder(path), start, limit: BATCH }
    return await this.#base.documents.listComponents(query)
  }

  /** Folders below one. */
  async #foldersIn(orgUid: string, path: string, start = 0) {
    const query = { orgUid, kind: KIND, listKeyPrefix: `${path}/`, start, limit: BATCH }
    return await this.#base.documents.list(query)
  }

  async #require(orgUid: string, uid: string): Promise<CatalogDocument> {
    const document = await this.#base.documents.get({ orgUid, kind: 'component_folder', uid })
    if (document === undefined) refuseUnknown('component_folder', uid)
    return document
  }
}

function refuseInside(principal: Principal, kind: string, uid: string, method: Method): void {
  requirePermit(principal, `${kind}/${uid}`, method, `a ${kind} in this folder`)
}

function deleteWrite({ orgUid, kind, uid }: DocumentKey): CatalogWrite {
  return { op: 'delete', orgUid, kind, uid, expectedRevision: 'any' }
}

/** Refuses to go on with a folder that another call has moved meanwhile. */
function refuseMoved(revision: number, seen: CatalogDocument): void {
  if (revision === seen.revision) return
  refuse('conflict', { what: 'This folder was moved while the request was running. Send it again' })
}

interface FirstEntries {
  plan(): readonly PutDocument[]
  done(): void
}

/** Plans for every commit until one is done. */
function onlyFirst(plan: () => readonly PutDocument[]): FirstEntries {
  let isDone = false
  return {
    plan: () => (isDone ? [] : plan()),
    done: () => {
      isDone = true
    },
  }
}

function readPath(input: unknown): string {
  checkShape(input)
  const { path } = input as Static<typeof folderShape>
  if (path === undefined) refuseField('component_folder.path', 'is missing')
  return readFolder('component_folder.path', path)
}

function pathOf(document: CatalogDocument): string {
  return document.body.path as string
}

function folderWrite(before: CatalogDocument, path: string): CatalogWrite {
  const { orgUid, kind, uid, revision: expectedRevision } = before
  const body = { path, name: path.slice(path.lastIndexOf('/') + 1) }
  const claims = [folderClaim(path)]
  return { op: 'put', orgUid, kind, uid, listKey: path, claims, body, expectedRevision }
}

function showFolder(document: CatalogDocument): FolderRecord {
  const path = pathOf(document)
  const name = path.slice(path.lastIndexOf('/') + 1)
  return { uid: document.uid, path, name, revision: document.revision }
}

function refuseTakenPath(path: string): never {
  const field = 'component_folder.path'
  refuse('claim_taken', { what: `${field} "${path}" already exists`, field })
}
