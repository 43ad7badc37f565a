/** Records without anything below them: units, cycles, delete profiles, templates. */
import { allows, type Principal, requirePermit } from '../../access/index.ts'
import { isUid, newUid, refuse } from '../../base/index.ts'
import {
  CatalogConflict,
  type CatalogDocument,
  type DocumentKey,
  type JsonObject,
  type PutDocument,
} from '../../store/index.ts'
import type { Documents } from '../documents/documents.ts'
import { listPermitted } from '../documents/list-permitted.ts'
import {
  type Author,
  changedFields,
  planChange,
  planUpdate,
  quoted,
} from '../documents/record-change.ts'
import { type UsedRecord, useWrites } from '../documents/record-uses.ts'
import { whileUnused } from '../documents/while-unused.ts'
import { checkId } from '../shape/record-checks.ts'

/** One page of a list. */
export interface Page {
  readonly start: number
  readonly limit: number
}

export interface RecordList<Record> {
  readonly records: readonly Record[]
  readonly totalCount: number
}

/** What a noun's records have that is their own. */
export interface RecordRules<Body extends { id: string; name: string }> {
  /** The kind of the documents, and the resource's name. */
  readonly kind: string
  /** Refuses an input of another shape. */
  readonly check: (input: unknown) => void
  /** The body after an input is applied to what was before; refuses what breaks a rule. */
  readonly read: (input: JsonObject, before: Body, orgUid: string) => Promise<Body> | Body
  readonly defaults: Body
  /** Records of this kind must have an ID. */
  readonly needsId?: boolean
  /** The records that a body refers to and the one before it did not, where there are such. */
  readonly usesOf?: (orgUid: string, before: Body, after: Body) => readonly UsedRecord[]
  /** What the audit log calls fields that the body names otherwise. */
  readonly fieldNames?: Readonly<Record<string, string>>
  /** Changes that have an audit entry of their own, beside that of the save. */
  readonly ownChanges?: (before: Body, after: Body) => readonly { verb: string; detail: string }[]
  /** Records every organization has, which nobody changes. */
  readonly builtIns?: ReadonlyMap<string, Body>
}

/** Names what refers to a record, for the message that refuses to delete it; empty when nothing. */
export type FindUses = (principal: Principal, uid: string) => Promise<readonly string[]>

/** A record as callers see it. */
type Shown<Body> = Body & { readonly uid: string; readonly revision: number }

const UPDATE_TRIES = 5

/** Get, list, insert, update and delete of one noun, each checked against the caller's rights. */
export class SimpleRecords<Body extends { id: string; name: string }> {
  readonly #documents: Documents
  readonly #rules: RecordRules<Body>
  readonly #findUses: FindUses | undefined

  constructor(documents: Documents, rules: RecordRules<Body>, findUses?: FindUses) {
    this.#documents = documents
    this.#rules = rules
    this.#findUses = findUses
  }

  /** A record that is not saved. */
  make(principal: Principal): Shown<Body> {
    requirePermit(principal, this.#rules.kind, 'GET')
    return { uid: '', ...this.#rules.defaults, revision: 0 }
  }

  async get(principal: Principal, uid: string): Promise<Shown<Body>> {
    requirePermit(principal, `${this.#rules.kind}/${uid}`, 'GET')
    const builtIn = this.#rules.builtIns?.get(uid)
    if (builtIn !== undefined) return { uid, ...builtIn, revision: 0 }
    return this.#show(await this.#require(principal.orgUid, uid))
  }

  /** The record of a UID in an organization, without a check of rights: for other parts. */
  async find(orgUid: string, uid: string): Promise<Shown<Body> | undefined> {
    const builtIn = this.#rules.builtIns?.get(uid)
    if (builtIn !== undefined) return { uid, ...builtIn, revision: 0 }
    const document = await this.#documents.get({ orgUid, kind: this.#rules.kind, uid })
    return document === undefined ? undefined : this.#show(document)
  }

  /** The record with an ID in an organization, without a check of rights: for other parts. */
  async findById(orgUid: string, id: string): Promise<Shown<Body> | undefined> {
    for (const [uid, body] of this.#rules.builtIns ?? []) {
      if (body.id === id) return { uid, ...body, revision: 0 }
    }
    if (id === '') return undefined
    const document = await this.#documents.findByClaim(orgUid, this.#claimOf(id))
    return document === undefined ? undefined : this.#show(document)
  }

  /** IDs of existing records for messages, built-in ones first, at most `limit`. Does not check permissions. */
  async listIds(orgUid: string, limit: number): Promise<string[]> {
    const builtIns = [...(this.#rules.builtIns?.values() ?? [])]
    const { kind } = this.#rules
    const { documents } = await this.#documents.list({ orgUid, kind, start: 0, limit })
    const own = documents.map((document) => this.#show(document))
    const ids = [...builtIns, ...own].map(({ id }) => id).filter((id) => id !== '')
    return ids.slice(0, limit)
  }

  /** A page of the organization's own records, without a check of rights: for other parts. */
  async listAll(orgUid: string, page: Page): Promise<Shown<Body>[]> {
    const { documents } = await this.#documents.list({ orgUid, kind: this.#rules.kind, ...page })
    return documents.map((document) => this.#show(document))
  }

  /** Built-in records come first. */
  async list(principal: Principal, page: Page): Promise<RecordList<Shown<Body>>> {
    requirePermit(principal, this.#rules.kind, 'GET')
    const { kind } = this.#rules
    const builtIns = [...(this.#rules.builtIns ?? [])]
      .filter(([uid]) => allows(principal, `${kind}/${uid}`, 'GET'))
      .map(([uid, body]) => ({ uid, ...body, revision: 0 }))
    const fixed = builtIns.slice(page.start, page.start + page.limit)
    const { documents, totalCount } = await listPermitted(this.#documents, principal, {
      orgUid: principal.orgUid,
      kind,
      start: Math.max(0, page.start - builtIns.length),
      limit: page.limit - fixed.length,
    })
    const records = [...fixed, ...documents.map((document) => this.#show(document))]
    return { records, totalCount: builtIns.length + totalCount }
  }

  async insert(author: Author, input: unknown): Promise<Shown<Body>> {
    requirePermit(author, this.#rules.kind, 'PUT')
    return await this.#trying(() => this.#save(author, newUid(), { input, before: undefined }))
  }

  /** What an insert would make; makes nothing. An ID that is taken is found only by the insert. */
  async check(principal: Principal, input: unknown): Promise<Shown<Body>> {
    requirePermit(principal, this.#rules.kind, 'PUT')
    const body = await this.#read(principal.orgUid, { input, before: undefined })
    return { uid: '', ...body, revision: 0 }
  }

  /** Whether every organization has a record of its own accord: it is in no store, and stays. */
  isBuiltIn(uid: string): boolean {
    return this.#rules.builtIns?.has(uid) === true
  }

  async update(author: Author, uid: string, input: unknown): Promise<Shown<Body>> {
    requirePermit(author, `${this.#rules.kind}/${uid}`, 'POST')
    this.#refuseBuiltIn(uid)
    return await this.#trying(async () => {
      const before = await this.#require(author.orgUid, uid)
      return await this.#save(author, uid, { input, before })
    })
  }

  /** Runs an attempt again after others got in its way. */
  async #trying<T>(attempt: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await attempt()
      } catch (error) {
        if (!(error instanceof CatalogConflict) || tries >= UPDATE_TRIES) throw error
        await this.#documents.catchUp(error)
      }
    }
  }

  /** Deletes a record that nothing refers to. */
  async delete(author: Author, uid: string): Promise<void> {
    requirePermit(author, `${this.#rules.kind}/${uid}`, 'DELETE')
    this.#refuseBuiltIn(uid)
    const document = await this.#require(author.orgUid, uid)
    const { orgUid, kind } = document
    const order = { op: 'delete', orgUid, kind, uid, expectedRevision: 'any' } as const
    const entries = planChange(author, { kind, verb: 'deleted', uid, detail: document.listKey })
    const findUses = this.#findUses
    if (findUses === undefined) {
      await this.#documents.commit([order], entries)
      return
    }
    await whileUnused(this.#documents, order, async (unmark) => {
      const uses = await findUses(author, uid)
      if (uses.length > 0) {
        const what = `Cannot delete this ${kind}: it is used by ${uses.join(', ')}`
        refuse('conflict', { what })
      }
      await this.#documents.commit([order, unmark], entries)
    })
  }

  async #save(
    author: Author,
    uid: string,
    { input, before }: { input: unknown; before: CatalogDocument | undefined },
  ): Promise<Shown<Body>> {
    const { kind } = this.#rules
    const { orgUid } = author
    const body = await this.#read(orgUid, { input, before })
    const old = this.#bodyOf(before)
    const order = recordWrite({ orgUid, kind, uid }, body, before?.revision ?? 0)
    const uses = this.#rules.usesOf?.(orgUid, old, body) ?? []
    const entries = this.#entriesOf(author, uid, { before, body })
    try {
      const { records } = await this.#documents.commit([order, ...useWrites(uses)], entries)
      return this.#show(records[0] as CatalogDocument)
    } catch (error) {
      if (error instanceof CatalogConflict && error.claim !== undefined) this.#refuseTaken(body.id)
      throw error
    }
  }

  #entriesOf(
    author: Author,
    uid: string,
    { before, body }: { before: CatalogDocument | undefined; body: Body },
  ): PutDocument[] {
    const { kind, fieldNames = {}, ownChanges = () => [] } = this.#rules
    const old = this.#bodyOf(before)
    const name = quoted(body.name || body.id)
    const fields = changedFields(old, body).map((field) => fieldNames[field] ?? field)
    if (before === undefined) {
      return [...planChange(author, { kind, uid, verb: 'created', detail: body.name || body.id })]
    }
    const saved = planUpdate(author, { kind, uid, name, fields })
    const own = ownChanges(old, body).flatMap(({ verb, detail }) =>
      planChange(author, { kind, uid, verb, detail: `${name}: ${detail}` }),
    )
    return [...saved, ...own]
  }

  /** The body that an input makes of what was before. */
  async #read(
    orgUid: string,
    { input, before }: { input: unknown; before: CatalogDocument | undefined },
  ): Promise<Body> {
    const { kind, check, read, builtIns } = this.#rules
    check(input)
    const fields = input as JsonObject
    refuseStale(kind, fields.revision, before)
    checkId(`${kind}.id`, (fields.id as string | undefined) ?? '')
    const body = await read(fields, this.#bodyOf(before), orgUid)
    for (const builtIn of builtIns?.values() ?? []) {
      if (builtIn.id === body.id) this.#refuseTaken(body.id)
    }
    return body
  }

  #bodyOf(document: CatalogDocument | undefined): Body {
    return document === undefined ? this.#rules.defaults : (document.body as unknown as Body)
  }

  async #require(orgUid: string, uid: string): Promise<CatalogDocument> {
    const { kind } = this.#rules
    const document = await this.#documents.get({ orgUid, kind, uid })
    if (document === undefined) refuseUnknown(kind, uid)
    return document
  }

  #show(document: CatalogDocument): Shown<Body> {
    const body = document.body as unknown as Body
    return { uid: document.uid, ...body, revision: document.revision }
  }

  #claimOf(id: string): string {
    return recordClaim(this.#rules.kind, id)
  }

  #refuseTaken(id: string): never {
    const { kind, needsId } = this.#rules
    if (!needsId) refuseTakenId(kind, id)
    const field = `${kind}.id`
    refuse('claim_taken', { what: `${field} "${id}" is taken. Choose another`, field })
  }

  #refuseBuiltIn(uid: string): void {
    if (!this.isBuiltIn(uid)) return
    const what = `This ${this.#rules.kind} is built in and cannot be changed or deleted`
    refuse('conflict', { what })
  }
}

/** What a record with an ID claims in its organization. */
function recordClaim(kind: string, id: string): string {
  return `${kind}_id:${id}`
}

/** The write that stores a record. */
export function recordWrite(
  key: DocumentKey,
  body: { readonly id: string; readonly name: string },
  expectedRevision: number,
): PutDocument {
  const claims = body.id === '' ? [] : [recordClaim(key.kind, body.id)]
  const stored = body as unknown as JsonObject
  return { op: 'put', ...key, listKey: body.name, claims, body: stored, expectedRevision }
}

/** Refuses a UID that names nothing in the organization. */
export function refuseUnknown(kind: string, uid: string): never {
  // A caller who gives an ID has one that is right elsewhere.
  const hint = isUid(uid.toLowerCase()) ? '' : ': it is looked for by its UID, not by its ID'
  refuse('not_found', { what: `Cannot find ${kind} "${uid.slice(0, 60)}"${hint}` })
}

/** Refuses an ID that another record of the scope has; `field` is where the caller gave it. */
export function refuseTakenId(kind: string, id: string, field = `${kind}.id`): never {
  refuse('claim_taken', {
    what: `${field} "${id}" is taken. Choose another, or leave it blank`,
    field,
  })
}

/** Refuses an update made with a revision in mind that is no longer the record's. */
export function refuseStale(
  kind: string,
  seen: unknown,
  before: { readonly revision: number } | undefined,
): void {
  if (seen === undefined || before === undefined || seen === before.revision) return
  const what = `This ${kind} has changed since revision ${seen}. Read it again (current revision: ${before.revision})`
  refuse('conflict', { what })
}
