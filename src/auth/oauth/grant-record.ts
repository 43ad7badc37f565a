import { hashSecret, PAGE_BYTES_MAX } from '../../base/index.ts'
import type { CatalogDocument, CatalogWrite, DocumentKey } from '../../store/index.ts'
import { type OAuthBase, timeKey } from './oauth-base.ts'
import { GRANTS_PER_CLIENT_MAX } from './oauth-settings.ts'

/**
 * What a user allowed a client to do. Every token belongs to one grant and works only while the
 * grant exists, so that deleting this one document takes back everything that came from it.
 */
export interface Grant {
  readonly uid: string
  /** 0 before it is first written. */
  readonly revision: number
  readonly userUid: string
  readonly clientId: string
  readonly clientName: string
  /** Whether an administrator had registered the client. */
  readonly isRegistered: boolean
  readonly redirectHost: string
  /** Scope words with a space between. */
  readonly scope: string
  /** The salted hash of the client_secret that the code was exchanged with, '' when none was. */
  readonly secretHash: string
  readonly createdAtMs: number
  readonly refreshedAtMs: number
}

/** The kind of document that a grant is. */
export const GRANT_KIND = 'oauth_grant'

/** The hash of a client_secret that callers choose; the grant's UID salts it. */
export function hashClientSecret(grantUid: string, secret: string): string {
  return hashSecret(`${grantUid}:${secret}`)
}

/** The grant of a UID, or undefined when it was taken back or has ended. */
export async function findGrant(base: OAuthBase, uid: string): Promise<Grant | undefined> {
  const stored = await loadGrant(base, uid)
  return stored === undefined || stored.endsAtMs <= base.clock.now() ? undefined : stored.grant
}

/** A grant with its end. */
export interface StoredGrant {
  readonly grant: Grant
  readonly endsAtMs: number
}

/** The grant of a UID, ended ones included until they are purged. */
export async function loadGrant(base: OAuthBase, uid: string): Promise<StoredGrant | undefined> {
  const document = await base.store.get(grantKey(uid))
  if (document === undefined) return undefined
  return { grant: toGrant(document), endsAtMs: document.expiresAtMs ?? 0 }
}

/**
 * The write that keeps a grant until its newest refresh token ends. It does not bring back one that
 * was revoked since it was read.
 */
export function putGrant(grant: Grant, endsAtMs: number): CatalogWrite {
  const { uid, revision, ...body } = grant
  return {
    ...grantKey(uid),
    op: 'put',
    parentUid: grant.userUid,
    listKey: `${clientPrefix(grant.clientId)}${timeKey(grant.createdAtMs)}`,
    expiresAtMs: endsAtMs,
    body,
    expectedRevision: revision,
  }
}

/** Takes back a grant and with it every token it gave, together with other writes. */
export async function revokeGrant(
  base: OAuthBase,
  uid: string,
  also: readonly CatalogWrite[] = [],
): Promise<void> {
  await base.store.commit([{ ...grantKey(uid), op: 'delete', expectedRevision: 'any' }, ...also])
}

/** A page of what a user has allowed. */
export async function listGrants(
  base: OAuthBase,
  page: { readonly userUid: string; readonly start: number; readonly limit: number },
): Promise<{ grants: Grant[]; totalCount: number }> {
  const { userUid: parentUid, start, limit } = page
  const { documents, totalCount } = await base.store.list({
    orgUid: '',
    kind: GRANT_KIND,
    parentUid,
    start,
    limit,
    aliveAtMs: base.clock.now(),
    bytesMax: PAGE_BYTES_MAX,
  })
  return { grants: documents.map(toGrant), totalCount }
}

/** The writes that make room for one more grant of a user to a client, oldest first. */
export async function crowdedOutGrants(
  base: OAuthBase,
  of: { readonly userUid: string; readonly clientId: string },
): Promise<CatalogWrite[]> {
  const { documents, totalCount } = await base.store.list({
    orgUid: '',
    kind: GRANT_KIND,
    parentUid: of.userUid,
    listKeyPrefix: clientPrefix(of.clientId),
    start: 0,
    limit: GRANTS_PER_CLIENT_MAX,
  })
  return documents
    .slice(0, Math.max(0, totalCount - GRANTS_PER_CLIENT_MAX + 1))
    .map(({ uid }) => ({ ...grantKey(uid), op: 'delete', expectedRevision: 'any' }))
}

function grantKey(uid: string): DocumentKey {
  return { orgUid: '', kind: GRANT_KIND, uid }
}

/** A client_id is any text; its hash keeps one client's keys from being a prefix of another's. */
function clientPrefix(clientId: string): string {
  return `${hashSecret(clientId)}/`
}

function toGrant({ uid, revision, body }: CatalogDocument): Grant {
  return { ...(body as unknown as Omit<Grant, 'uid' | 'revision'>), uid, revision }
}
