import { type Principal, requirePermit } from '../access/index.ts'
import {
  type Clock,
  newUid,
  type RateFigures,
  readRateFigures,
  refuse,
  SettingMistake,
} from '../base/index.ts'
import { type AddressRule, checkAddressRule } from '../catalog/index.ts'
import {
  type CatalogDocument,
  type CatalogStore,
  type CatalogWrite,
  commitDocuments,
  type DocumentKey,
  type JsonObject,
  type PutDocument,
} from '../store/index.ts'
import { MADE_KIND, OrganizationFence } from './commit/organization-fence.ts'
import { uidsOfKind } from './record-cache.ts'

/** `strict` keeps OAuth clients out that nobody registered; '' follows the service. */
export type OrganizationOAuth = '' | 'strict'

/** What people may change of an organization. */
export interface OrganizationFields {
  readonly name: string
  /** A preset or own figures as in WEIR_RATE_LIMITS; '' follows the service. */
  readonly rateLimits: string
  readonly oauth: OrganizationOAuth
  /** Whether stored data can be read by GS SQL. */
  readonly gsSql: boolean
  /** Where new series are made whose API key does not say; absent or null: as their protocol proposes. */
  readonly addressRule?: AddressRule | null
}

/** An organization as kept in memory. */
export interface Organization extends OrganizationFields {
  readonly uid: string
  readonly revision: number
  /** The user whose time zone auto-created components take. */
  readonly ownerUid: string
  readonly createdAtMs: number
  /** The organization from which this one, and others like it, were made; itself when the operator made it. */
  readonly originUid: string
  /** What `rateLimits` says, undefined when the service's own figures hold. */
  readonly rateFigures: RateFigures | undefined
}

const KIND = 'organization'
const PAGE = 1_000

/** The organizations of the service, all in memory: every call needs its organization's limits. */
export class Organizations {
  readonly #store: CatalogStore
  readonly #clock: Clock
  readonly #fence: OrganizationFence
  readonly #byUid = new Map<string, Organization>()
  /** Those whose mark is being committed. */
  readonly #marking = new Set<string>()
  /** Those that are marked as gone, with things below them that have yet to be deleted. */
  readonly #leaving = new Map<string, Organization>()
  #generation = 0

  constructor(deps: {
    readonly store: CatalogStore
    readonly clock: Clock
    readonly fence?: OrganizationFence
  }) {
    this.#store = deps.store
    this.#fence = deps.fence ?? new OrganizationFence()
    this.#clock = deps.clock
  }

  /** Reads all organizations from the store. */
  async load(): Promise<void> {
    for (let start = 0; ; start += PAGE) {
      const query = { orgUid: '', kind: KIND, start, limit: PAGE }
      const { documents } = await this.#store.list(query)
      for (const document of documents) await this.#keep(document)
      if (documents.length < PAGE) return
    }
  }

  /** Rises whenever an organization changes or goes. */
  get generation(): number {
    return this.#generation
  }

  get count(): number {
    return this.#byUid.size - this.#marking.size
  }

  find(uid: string): Organization | undefined {
    return this.#byUid.get(uid)
  }

  /** The rules that a preview asks, in their order. The organization's is the saved one unless another is given. */
  rulesToTry(
    principal: Principal,
    {
      keyRule,
      organizationRule,
    }: { keyRule?: AddressRule | null; organizationRule?: AddressRule | null },
  ): readonly AddressRule[] {
    requirePermit(principal, 'door', 'GET')
    if (keyRule) checkAddressRule('door.keyRule', keyRule)
    if (organizationRule) checkAddressRule('door.organizationRule', organizationRule)
    const saved = this.find(principal.orgUid)?.addressRule
    const rules = [keyRule, organizationRule === undefined ? saved : organizationRule]
    return rules.filter((rule) => rule !== undefined && rule !== null)
  }

  /**
   * The account whose share of the service an organization uses: the owner of the organization that it was made from.
   * Organizations of one owner, and those made from one another, are one account.
   */
  accountOf(uid: string): string {
    const organization = this.find(uid)
    if (organization === undefined) return uid
    return (this.find(organization.originUid) ?? organization).ownerUid
  }

  /** Whether an organization is deleted, or being so: nobody acts in it. */
  isGone(uid: string): boolean {
    return this.#fence.isClosed(uid)
  }

  /** Those of which a deletion has begun and not ended. */
  listLeaving(): readonly Organization[] {
    return [...this.#leaving.values()]
  }

  /** All organizations, by name. */
  list(): readonly Organization[] {
    return [...this.#byUid.values()].sort((a, b) => a.name.localeCompare(b.name))
  }

  /** The writes that create an organization, its record first; the caller commits them and then calls `reload`. */
  planInsert(
    fields: OrganizationFields,
    ownerUid: string,
    madeFrom?: Organization,
  ): [PutDocument, ...PutDocument[]] {
    checkFields(fields)
    const uid = newUid()
    const originUid = madeFrom?.originUid ?? uid
    const body = { ...fields, ownerUid, createdAtMs: this.#clock.now(), originUid }
    const record = putOf(uid, body, 0)
    if (originUid === uid) return [record]
    return [record, { op: 'put', ...madeRow(originUid, uid), body: {}, expectedRevision: 0 }]
  }

  /** Reads one organization again after it was written by another commit. */
  async reload(uid: string): Promise<Organization | undefined> {
    const document = await this.#store.get({ orgUid: '', kind: KIND, uid })
    if (document === undefined) return undefined
    await this.#keep(document)
    return this.find(uid)
  }

  /** Follows what another process has committed. */
  async forgetWritten(keys: readonly DocumentKey[]): Promise<void> {
    for (const uid of uidsOfKind(keys, KIND)) {
      if ((await this.reload(uid)) !== undefined) continue
      // Marked as gone by now, or deleted with all that it had.
      this.#byUid.delete(uid)
      this.#generation += 1
      if ((await this.#store.get({ orgUid: '', kind: KIND, uid })) === undefined) {
        this.#leaving.delete(uid)
        await this.#fence.close(uid)
      }
    }
  }

  /** The write that changes an organization; the caller commits it and then calls `reload`. */
  planUpdate(
    organization: Organization,
    changes: Partial<OrganizationFields & { ownerUid: string }>,
  ): PutDocument {
    const { uid, revision, rateFigures: _, ...body } = { ...organization, ...changes }
    checkFields(body)
    return putOf(uid, body, revision)
  }

  /** Changes an organization, together with other writes. */
  async update(
    organization: Organization,
    changes: Partial<OrganizationFields>,
    also: readonly CatalogWrite[] = [],
  ): Promise<Organization> {
    const write = this.planUpdate(organization, changes)
    const [document] = await commitDocuments(this.#store, [write, ...also])
    await this.#keep(document)
    return fromDocument(document)
  }

  /**
   * Marks an organization as gone, together with other writes: nobody acts in it from here on, nothing
   * is written into it, and its deletion will be brought to an end. Refuses to let the last one go.
   */
  async markGone(organization: Organization, also: readonly CatalogWrite[]): Promise<void> {
    const { uid } = organization
    if (this.#marking.has(uid)) refuse('conflict', { what: 'This organization is being deleted' })
    if (this.count === 1) {
      refuse('conflict', {
        what: 'This is the only organization of the service. Create another one first',
      })
    }
    this.#marking.add(uid)
    const write = this.planUpdate(organization, {})
    try {
      const body = { ...write.body, isGone: true }
      const [document] = await commitDocuments(this.#store, [
        { ...write, body, mayUseReserve: true },
        ...also,
      ])
      await this.#keep(document)
    } finally {
      this.#marking.delete(uid)
    }
  }

  /** Deletes the record of an organization that holds nothing any more. */
  async delete({ uid, originUid }: Organization): Promise<void> {
    await this.#store.commit([
      { op: 'delete', orgUid: '', kind: KIND, uid, expectedRevision: 'any' },
      { op: 'delete', ...madeRow(originUid, uid), expectedRevision: 'any' },
    ])
    this.#leaving.delete(uid)
  }

  async #keep(document: CatalogDocument): Promise<void> {
    const organization = fromDocument(document)
    const { uid } = organization
    this.#generation += 1
    if (document.body.isGone !== true) {
      this.#byUid.set(uid, organization)
      return
    }
    this.#byUid.delete(uid)
    this.#leaving.set(uid, organization)
    await this.#fence.close(uid)
  }
}

type Body = OrganizationFields & Pick<Organization, 'ownerUid' | 'createdAtMs' | 'originUid'>

function madeRow(originUid: string, uid: string): DocumentKey {
  return { orgUid: originUid, kind: MADE_KIND, uid }
}

function putOf(uid: string, body: Body, expectedRevision: number): PutDocument {
  const { name, rateLimits, oauth, gsSql, ownerUid, createdAtMs, originUid, addressRule } = body
  const rule: JsonObject = addressRule
    ? { addressRule: { ...addressRule, uses: [...addressRule.uses] } }
    : {}
  return {
    op: 'put',
    orgUid: '',
    kind: KIND,
    uid,
    listKey: name,
    body: { name, rateLimits, oauth, gsSql, ownerUid, createdAtMs, originUid, ...rule },
    expectedRevision,
  }
}

function fromDocument(document: CatalogDocument): Organization {
  const { uid, revision } = document
  // One from before origins were kept counts as made by the operator; GS SQL is included unless it is switched off.
  const { originUid = uid, gsSql = true, ...body } = document.body as unknown as Body
  const rateFigures = body.rateLimits === '' ? undefined : readRateFigures(body.rateLimits)
  return { uid, revision, ...body, gsSql, originUid, rateFigures }
}

/** The characters of a name. */
export const ORGANIZATION_NAME_MAX = 200

function checkFields({ name, rateLimits, addressRule }: OrganizationFields): void {
  if (addressRule) checkAddressRule('organization.addressRule', addressRule)
  if (name.trim() === '' || name.length > ORGANIZATION_NAME_MAX) {
    refuse('bad_input', {
      what: 'organization.name must have 1 to 200 characters',
      field: 'organization.name',
    })
  }
  if (rateLimits === '') return
  try {
    readRateFigures(rateLimits)
  } catch (error) {
    if (!(error instanceof SettingMistake)) throw error
    const field = 'organization.rateLimits'
    refuse('bad_input', { what: `${field} ${error.message}`, field })
  }
}
