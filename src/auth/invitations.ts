import type { Principal, Role } from '../access/index.ts'
import { type Clock, newUid, refuse } from '../base/index.ts'
import { listPermitted } from '../catalog/index.ts'
import {
  type CatalogDocument,
  type CatalogStore,
  type CatalogWrite,
  commitDocuments,
} from '../store/index.ts'

/** An organization's offer to an account that exists; nothing of the account is in it but what was typed. */
export interface Invitation {
  readonly uid: string
  readonly revision: number
  readonly orgUid: string
  readonly userUid: string
  /** The address as the organization wrote it: a later one is not its business. */
  readonly email: string
  readonly role: Role
  readonly createdAtMs: number
  readonly endsAtMs: number
}

interface Page {
  readonly start: number
  readonly limit: number
}

const KIND = 'invitation'
/** A row beside each invitation by which the invited person finds it. */
const PERSONS_KIND = 'invitation_of'
/** An offer that nobody answers is over after a month, so what unauthenticated clients send does not pile up. */
const LIFE_MS = 30 * 86_400_000
/** Open invitations of one organization. */
const OPEN_MAX = 1_000
const PAGE = 500

/** The invitations that wait for an answer. */
export class Invitations {
  readonly #store: CatalogStore
  readonly #clock: Clock

  constructor(deps: { readonly store: CatalogStore; readonly clock: Clock }) {
    this.#store = deps.store
    this.#clock = deps.clock
  }

  /** Makes an invitation, together with what `also` plans for its UID; refuses a second one. */
  async insert(
    fields: Pick<Invitation, 'orgUid' | 'userUid' | 'email' | 'role'>,
    also: (uid: string) => readonly CatalogWrite[],
  ): Promise<Invitation> {
    const { orgUid, userUid, email, role } = fields
    const before = await this.#store.findByClaim(orgUid, claimOf(userUid))
    if (before !== undefined && this.#isOpen(before)) {
      refuse('claim_taken', { what: `"${email}" is already invited. Delete that invitation first` })
    }
    const open = { orgUid, kind: KIND, aliveAtMs: this.#clock.now() }
    const { totalCount } = await this.#store.list({ ...open, start: 0, limit: 1 })
    if (totalCount >= OPEN_MAX) {
      refuse('conflict', {
        what: `This organization already has ${OPEN_MAX} open invitations, the maximum`,
      })
    }
    const uid = newUid()
    const createdAtMs = this.#clock.now()
    const expiresAtMs = createdAtMs + LIFE_MS
    const shared = { op: 'put', uid, expiresAtMs, expectedRevision: 0 } as const
    const [document] = await commitDocuments(this.#store, [
      ...(before === undefined ? [] : deletesOf(fromDocument(before))),
      {
        ...shared,
        orgUid,
        kind: KIND,
        listKey: email,
        claims: [claimOf(userUid)],
        body: { userUid, email, role, createdAtMs },
      },
      { ...shared, orgUid: '', kind: PERSONS_KIND, listKey: userUid, body: { orgUid } },
      ...also(uid),
    ])
    return fromDocument(document)
  }

  /** An open invitation of an organization. */
  async find(orgUid: string, uid: string): Promise<Invitation | undefined> {
    const document = await this.#store.get({ orgUid, kind: KIND, uid })
    return document !== undefined && this.#isOpen(document) ? fromDocument(document) : undefined
  }

  /** The open invitation of an organization to an account. */
  async findFor(orgUid: string, userUid: string): Promise<Invitation | undefined> {
    const document = await this.#store.findByClaim(orgUid, claimOf(userUid))
    return document !== undefined && this.#isOpen(document) ? fromDocument(document) : undefined
  }

  /** An open invitation to an account, by whichever organization. */
  async findOwn(userUid: string, uid: string): Promise<Invitation | undefined> {
    const row = await this.#store.get({ orgUid: '', kind: PERSONS_KIND, uid })
    if (row === undefined) return undefined
    const found = await this.find(String(row.body.orgUid), uid)
    return found?.userUid === userUid ? found : undefined
  }

  /** One page of what the caller's organization has offered and the caller may GET, by e-mail address. */
  async listFor(principal: Principal, page: Page) {
    const { documents, totalCount } = await listPermitted(this.#store, principal, {
      orgUid: principal.orgUid,
      kind: KIND,
      resource: 'org_user',
      ...page,
      aliveAtMs: this.#clock.now(),
    })
    return { invitations: documents.map(fromDocument), totalCount }
  }

  /** One page of what a person was offered. */
  async listOwn(userUid: string, page: Page) {
    const { documents, totalCount } = await this.#store.list({
      orgUid: '',
      kind: PERSONS_KIND,
      listKeyPrefix: userUid,
      ...page,
      aliveAtMs: this.#clock.now(),
    })
    const found = await Promise.all(documents.map(({ uid }) => this.findOwn(userUid, uid)))
    return { invitations: found.filter((one) => one !== undefined), totalCount }
  }

  /** Ends an invitation, together with other writes. */
  async delete(invitation: Invitation, also: readonly CatalogWrite[]): Promise<void> {
    await this.#store.commit([...deletesOf(invitation), ...also])
  }

  /** Ends all that an organization offered, before it is deleted. */
  async deleteAllOf(orgUid: string): Promise<void> {
    for (;;) {
      const { documents } = await this.#store.list({ orgUid, kind: KIND, start: 0, limit: PAGE })
      if (documents.length === 0) return
      await this.#store.commit(documents.flatMap((one) => deletesOf(fromDocument(one))))
    }
  }

  /** Ends all that a person was offered, when the account goes. */
  async deleteAllFor(userUid: string): Promise<void> {
    const query = { orgUid: '', kind: PERSONS_KIND, listKeyPrefix: userUid, start: 0, limit: PAGE }
    for (;;) {
      const { documents } = await this.#store.list(query)
      if (documents.length === 0) return
      await this.#store.commit(
        documents.flatMap(({ uid, body }) => [
          deleteOf(String(body.orgUid), KIND, uid),
          deleteOf('', PERSONS_KIND, uid),
        ]),
      )
    }
  }

  #isOpen({ expiresAtMs }: CatalogDocument): boolean {
    return (expiresAtMs ?? 0) > this.#clock.now()
  }
}

/** The writes that end an invitation; they fail when it was ended meanwhile. */
export function deletesOf({ orgUid, uid, revision }: Invitation): CatalogWrite[] {
  return [deleteOf(orgUid, KIND, uid, revision), deleteOf('', PERSONS_KIND, uid)]
}

function deleteOf(
  orgUid: string,
  kind: string,
  uid: string,
  expectedRevision: number | 'any' = 'any',
): CatalogWrite {
  return { op: 'delete', orgUid, kind, uid, expectedRevision }
}

function claimOf(userUid: string): string {
  return `invitation:${userUid}`
}

function fromDocument(document: CatalogDocument): Invitation {
  const { uid, revision, orgUid, expiresAtMs = 0 } = document
  const body = document.body as unknown as Pick<
    Invitation,
    'userUid' | 'email' | 'role' | 'createdAtMs'
  >
  return { uid, revision, orgUid, ...body, endsAtMs: expiresAtMs }
}
