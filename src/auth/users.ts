import type { Principal, Role } from '../access/index.ts'
import { type Clock, newUid, refuse } from '../base/index.ts'
import { listPermitted } from '../catalog/index.ts'
import {
  CatalogConflict,
  type CatalogDocument,
  type CatalogStore,
  type CatalogWrite,
  commitDocuments,
  type DocumentKey,
} from '../store/index.ts'
import { RecordCache, uidsOfKind } from './record-cache.ts'

/** What a user is in one organization. */
export interface Membership {
  readonly orgUid: string
  readonly role: Role
}

/** A person who can sign in. */
export interface User {
  readonly uid: string
  readonly revision: number
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  /** An IANA name; components that a feed creates take their owner's. */
  readonly timeZone: string
  readonly passwordHash: string
  /** In the order they were given; the first is meant where a call names no organization. */
  readonly memberships: readonly Membership[]
  readonly createdAtMs: number
}

export type UserFields = Omit<User, 'uid' | 'revision' | 'createdAtMs'>

const KIND = 'user'
/** A row in an organization for each of its members. */
export const MEMBERSHIP_KIND = 'membership'
const CACHED_MAX = 10_000

/** The users of the service; a user's organizations are kept with the user. */
export class Users {
  readonly #store: CatalogStore
  readonly #clock: Clock
  readonly #cache: RecordCache<User>

  constructor(deps: { readonly store: CatalogStore; readonly clock: Clock }) {
    this.#store = deps.store
    this.#clock = deps.clock
    const load = async (uid: string) => {
      const document = await deps.store.get({ orgUid: '', kind: KIND, uid })
      return document === undefined ? undefined : fromDocument(document)
    }
    this.#cache = new RecordCache({ sizeMax: CACHED_MAX, load })
  }

  /** Rises with every change that may end or narrow what a user may do. */
  get generation(): number {
    return this.#cache.generation
  }

  /** The user when in memory. */
  peek(uid: string): User | undefined {
    return this.#cache.peek(uid)
  }

  find(uid: string): Promise<User | undefined> {
    return this.#cache.find(uid)
  }

  /** Forgets what another process has committed. */
  forgetWritten(keys: readonly DocumentKey[]): void {
    for (const uid of uidsOfKind(keys, KIND)) this.#cache.forget(uid)
  }

  async findByEmail(email: string): Promise<User | undefined> {
    const document = await this.#store.findByClaim('', emailClaim(email))
    return document === undefined ? undefined : fromDocument(document)
  }

  /** One page of an organization's users, by e-mail address. */
  async listOf(
    orgUid: string,
    page: { readonly start: number; readonly limit: number },
  ): Promise<{ users: readonly User[]; totalCount: number }> {
    const query = { orgUid, kind: MEMBERSHIP_KIND, ...page }
    const { documents, totalCount } = await this.#store.list(query)
    return { users: await this.#usersOf(documents), totalCount }
  }

  /** As `listOf` the caller's organization, with only those that the caller may GET. */
  async listFor(
    principal: Principal,
    page: { readonly start: number; readonly limit: number },
  ): Promise<{ users: readonly User[]; totalCount: number }> {
    const { orgUid } = principal
    const query = { orgUid, kind: MEMBERSHIP_KIND, resource: 'org_user', ...page }
    const { documents, totalCount } = await listPermitted(this.#store, principal, query)
    return { users: await this.#usersOf(documents), totalCount }
  }

  async #usersOf(memberships: readonly CatalogDocument[]): Promise<User[]> {
    const users = await Promise.all(memberships.map(({ uid }) => this.find(uid)))
    return users.filter((user) => user !== undefined)
  }

  /** Creates a user, together with other writes when given; refuses an e-mail that is taken. */
  async insert(
    fields: UserFields,
    options?: { readonly uid?: string; readonly also?: readonly CatalogWrite[] },
  ): Promise<{ user: User; also: readonly CatalogDocument[] }> {
    const uid = options?.uid ?? newUid()
    const user = { uid, revision: 0, ...fields, createdAtMs: this.#clock.now() }
    const [document, ...rest] = await this.#commit(user, undefined, options?.also ?? [])
    const also = rest.filter(({ kind }) => kind !== MEMBERSHIP_KIND)
    return { user: fromDocument(document), also }
  }

  /** Changes a user, together with other writes; membership rows follow. */
  async update(
    user: User,
    changes: Partial<UserFields>,
    also: readonly CatalogWrite[] = [],
  ): Promise<User> {
    const [document] = await this.#commit({ ...user, ...changes }, user, also)
    return fromDocument(document)
  }

  /** Removes a user with all memberships, together with other writes. */
  async delete(user: User, also: readonly CatalogWrite[] = []): Promise<void> {
    const { uid, revision } = user
    const rows = user.memberships.map(({ orgUid }) => membershipDelete(orgUid, uid))
    const self = { op: 'delete', orgUid: '', kind: KIND, uid, expectedRevision: revision } as const
    try {
      await this.#store.commit([self, ...rows, ...also])
    } finally {
      this.#cache.forget(uid)
    }
  }

  async #commit(
    user: User,
    before: User | undefined,
    also: readonly CatalogWrite[],
  ): Promise<readonly CatalogDocument[]> {
    const { uid, revision, ...body } = user
    const left = (before?.memberships ?? []).filter(
      ({ orgUid }) => !user.memberships.some((membership) => membership.orgUid === orgUid),
    )
    const self: CatalogWrite = {
      op: 'put',
      orgUid: '',
      kind: KIND,
      uid,
      listKey: user.email,
      body: {
        ...body,
        memberships: body.memberships.map(({ orgUid, role }) => ({ orgUid, role })),
      },
      claims: [emailClaim(user.email)],
      expectedRevision: revision,
    }
    // Rows that are as they should be are left alone: one may lie in an organization that is being deleted.
    const isMoved = before?.email !== user.email
    const isKept = (orgUid: string) => before?.memberships.some((one) => one.orgUid === orgUid)
    const changed = user.memberships.filter(({ orgUid }) => isMoved || !isKept(orgUid))
    const rows = changed.map(
      ({ orgUid }): CatalogWrite => ({
        op: 'put',
        orgUid,
        kind: MEMBERSHIP_KIND,
        uid,
        listKey: user.email,
        body: {},
        expectedRevision: 'any',
      }),
    )
    const gone = left.map(({ orgUid }) => membershipDelete(orgUid, uid))
    try {
      return await commitDocuments(this.#store, [self, ...rows, ...gone, ...also])
    } catch (error) {
      if (!(error instanceof CatalogConflict) || error.claim === undefined) throw error
      refuse('claim_taken', { what: `The email address "${user.email}" belongs to another user` })
    } finally {
      this.#cache.forget(uid)
    }
  }
}

function emailClaim(email: string): string {
  return `user_email:${email.toLowerCase()}`
}

function membershipDelete(orgUid: string, uid: string): CatalogWrite {
  return { op: 'delete', orgUid, kind: MEMBERSHIP_KIND, uid, expectedRevision: 'any' }
}

function fromDocument(document: CatalogDocument): User {
  const body = document.body as unknown as Omit<User, 'uid' | 'revision'>
  return { uid: document.uid, revision: document.revision, ...body }
}
