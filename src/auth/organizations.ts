import {
  type Clock,
  newUid,
  type RateFigures,
  readRateFigures,
  refuse,
  SettingMistake,
} from '../base/index.ts'
import type { CatalogDocument, CatalogStore, CatalogWrite, PutDocument } from '../store/index.ts'

/** `strict` keeps OAuth clients out that nobody registered; '' follows the service. */
export type OrganizationOAuth = '' | 'strict'

/** What people may change of an organization. */
export interface OrganizationFields {
  readonly name: string
  /** A preset or own figures as in WEIR_RATE_LIMITS; '' follows the service. */
  readonly rateLimits: string
  readonly oauth: OrganizationOAuth
}

/** An organization as kept in memory. */
export interface Organization extends OrganizationFields {
  readonly uid: string
  readonly revision: number
  /** The user whose time zone auto-created components take. */
  readonly ownerUid: string
  readonly createdAtMs: number
  /** What `rateLimits` says, undefined when the service's own figures hold. */
  readonly rateFigures: RateFigures | undefined
}

const KIND = 'organization'
const PAGE = 1_000

/** The organizations of the service, all in memory: every call needs its organization's limits. */
export class Organizations {
  readonly #store: CatalogStore
  readonly #clock: Clock
  readonly #byUid = new Map<string, Organization>()

  constructor(deps: { readonly store: CatalogStore; readonly clock: Clock }) {
    this.#store = deps.store
    this.#clock = deps.clock
  }

  /** Reads all organizations from the store. */
  async load(): Promise<void> {
    for (let start = 0; ; start += PAGE) {
      const query = { orgUid: '', kind: KIND, start, limit: PAGE }
      const { documents } = await this.#store.list(query)
      for (const document of documents) this.#byUid.set(document.uid, fromDocument(document))
      if (documents.length < PAGE) return
    }
  }

  get count(): number {
    return this.#byUid.size
  }

  find(uid: string): Organization | undefined {
    return this.#byUid.get(uid)
  }

  /** All organizations, by name. */
  list(): readonly Organization[] {
    return [...this.#byUid.values()].sort((a, b) => a.name.localeCompare(b.name))
  }

  /** The write that creates an organization; the caller commits it and then calls `reload`. */
  planInsert(fields: OrganizationFields, ownerUid: string): PutDocument {
    checkFields(fields)
    const createdAtMs = this.#clock.now()
    return putOf(newUid(), { ...fields, ownerUid, createdAtMs }, 0)
  }

  /** Reads one organization again after it was written by another commit. */
  async reload(uid: string): Promise<Organization | undefined> {
    const document = await this.#store.get({ orgUid: '', kind: KIND, uid })
    return document === undefined ? undefined : this.#keep(document)
  }

  /** The write that changes an organization; the caller commits it and then calls `reload`. */
  planUpdate(
    organization: Organization,
    changes: Partial<OrganizationFields & { ownerUid: string }>,
  ): PutDocument {
    const { name, rateLimits, oauth, ownerUid, createdAtMs } = { ...organization, ...changes }
    checkFields({ name, rateLimits, oauth })
    const body = { name, rateLimits, oauth, ownerUid, createdAtMs }
    return putOf(organization.uid, body, organization.revision)
  }

  /** Changes an organization, together with other writes. */
  async update(
    organization: Organization,
    changes: Partial<OrganizationFields>,
    also: readonly CatalogWrite[] = [],
  ): Promise<Organization> {
    const write = this.planUpdate(organization, changes)
    const [document] = await this.#store.commit([write, ...also])
    return this.#keep(document)
  }

  /** Deletes the record of an organization that holds nothing any more, together with other writes. */
  async delete({ uid }: Organization, also: readonly CatalogWrite[] = []): Promise<void> {
    await this.#store.commit([
      { op: 'delete', orgUid: '', kind: KIND, uid, expectedRevision: 'any' },
      ...also,
    ])
    this.#byUid.delete(uid)
  }

  #keep(document: CatalogDocument): Organization {
    const organization = fromDocument(document)
    this.#byUid.set(organization.uid, organization)
    return organization
  }
}

type Body = OrganizationFields & { readonly ownerUid: string; readonly createdAtMs: number }

function putOf(uid: string, body: Body, expectedRevision: number): PutDocument {
  const { name, rateLimits, oauth, ownerUid, createdAtMs } = body
  return {
    op: 'put',
    orgUid: '',
    kind: KIND,
    uid,
    listKey: name,
    body: { name, rateLimits, oauth, ownerUid, createdAtMs },
    expectedRevision,
  }
}

function fromDocument(document: CatalogDocument): Organization {
  const body = document.body as unknown as Body
  const { uid, revision } = document
  const rateFigures = body.rateLimits === '' ? undefined : readRateFigures(body.rateLimits)
  return { uid, revision, ...body, rateFigures }
}

function checkFields({ name, rateLimits }: OrganizationFields): void {
  if (name.trim() === '' || name.length > 200) {
    refuse('bad_input', { what: 'organization.name must have 1 to 200 characters' })
  }
  if (rateLimits === '') return
  try {
    readRateFigures(rateLimits)
  } catch (error) {
    if (!(error instanceof SettingMistake)) throw error
    refuse('bad_input', { what: `organization.rateLimits ${error.message}` })
  }
}
