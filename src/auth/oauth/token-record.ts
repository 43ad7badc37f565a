import { hashSecret, newSecret } from '../../base/index.ts'
import type { CatalogDocument, CatalogWrite, DocumentKey } from '../../store/index.ts'
import { type OAuthBase, timeKey } from './oauth-base.ts'
import { REFRESHES_REMEMBERED_MAX, TOKENS_PER_GRANT_MAX } from './oauth-settings.ts'

/** An access token as it is kept. */
export interface AccessToken {
  readonly grantUid: string
  readonly scope: string
  readonly issuedAtMs: number
  readonly endsAtMs: number
}

/** A refresh token as it is kept; it works while it is not used. */
export interface RefreshToken {
  readonly hash: string
  readonly revision: number
  readonly grantUid: string
  readonly issuedAtMs: number
  readonly endsAtMs: number
  readonly isUsed: boolean
}

/** A pair of tokens in plain text, and the writes that keep their hashes. */
export interface NewTokens {
  readonly accessToken: string
  readonly refreshToken: string
  /** When the last of them ends, and the grant with it. */
  readonly grantEndsAtMs: number
  readonly writes: readonly CatalogWrite[]
}

/** The kind of document that an access token is. */
export const ACCESS_KIND = 'oauth_token'
const REFRESH = 'oauth_refresh'

/** Makes the tokens of a grant; they exist once the writes are committed. */
export function newTokens(base: OAuthBase, of: { grantUid: string; scope: string }): NewTokens {
  const { grantUid, scope } = of
  const { accessTokenSeconds, refreshTokenSeconds } = base.settings
  const issuedAtMs = base.clock.now()
  const accessToken = newSecret()
  const refreshToken = newSecret()
  const endsAtMs = issuedAtMs + accessTokenSeconds * 1000
  const refreshEndsAtMs = issuedAtMs + refreshTokenSeconds * 1000
  const common = { op: 'put', parentUid: grantUid, listKey: timeKey(issuedAtMs) } as const
  const access: CatalogWrite = {
    ...common,
    ...key(ACCESS_KIND, hashSecret(accessToken)),
    expiresAtMs: endsAtMs,
    body: { grantUid, scope, issuedAtMs, endsAtMs },
    expectedRevision: 0,
  }
  const refresh: CatalogWrite = {
    ...common,
    ...key(REFRESH, hashSecret(refreshToken)),
    expiresAtMs: refreshEndsAtMs,
    body: { grantUid, issuedAtMs, endsAtMs: refreshEndsAtMs, isUsed: false },
    expectedRevision: 0,
  }
  const grantEndsAtMs = Math.max(endsAtMs, refreshEndsAtMs)
  return { accessToken, refreshToken, grantEndsAtMs, writes: [access, refresh] }
}

/** The access token of a text, expired ones included until they are purged. */
export function findAccessToken(base: OAuthBase, token: string): Promise<AccessToken | undefined> {
  return loadAccessToken(base, hashSecret(token))
}

/** The access token of the hash of its text, expired ones included until they are purged. */
export async function loadAccessToken(
  base: OAuthBase,
  hash: string,
): Promise<AccessToken | undefined> {
  const document = await base.store.get(key(ACCESS_KIND, hash))
  return document === undefined ? undefined : (document.body as unknown as AccessToken)
}

/** Ends one access token and leaves its grant. */
export async function deleteAccessToken(base: OAuthBase, token: string): Promise<void> {
  await base.store.commit([deletion(key(ACCESS_KIND, hashSecret(token)))])
}

/** The refresh token of a text, used ones included while they are remembered. */
export async function findRefreshToken(
  base: OAuthBase,
  token: string,
): Promise<RefreshToken | undefined> {
  const document = await base.store.get(key(REFRESH, hashSecret(token)))
  return document === undefined ? undefined : toRefreshToken(document)
}

/** The write that spends a refresh token: of two that spend the same one, one can be committed. */
export function spendRefreshToken(token: RefreshToken): CatalogWrite {
  const { hash, revision, ...body } = token
  return {
    ...key(REFRESH, hash),
    op: 'put',
    parentUid: token.grantUid,
    listKey: timeKey(token.issuedAtMs),
    expiresAtMs: token.endsAtMs,
    body: { ...body, isUsed: true },
    expectedRevision: revision,
  }
}

/** The writes that forget the oldest tokens of a grant, so that a busy client's stay few. */
export async function crowdedOutTokens(base: OAuthBase, grantUid: string): Promise<CatalogWrite[]> {
  const oldest = async (kind: string, keptMax: number) => {
    const query = { orgUid: '', kind, parentUid: grantUid, start: 0, limit: keptMax }
    const { documents, totalCount } = await base.store.list(query)
    return documents.slice(0, Math.max(0, totalCount - keptMax + 1)).map(deletion)
  }
  return [
    ...(await oldest(ACCESS_KIND, TOKENS_PER_GRANT_MAX)),
    ...(await oldest(REFRESH, REFRESHES_REMEMBERED_MAX)),
  ]
}

function key(kind: string, hash: string): DocumentKey {
  return { orgUid: '', kind, uid: hash }
}

function deletion({ orgUid, kind, uid }: DocumentKey): CatalogWrite {
  return { orgUid, kind, uid, op: 'delete', expectedRevision: 'any' }
}

function toRefreshToken({ uid: hash, revision, body }: CatalogDocument): RefreshToken {
  return { ...(body as unknown as Omit<RefreshToken, 'hash' | 'revision'>), hash, revision }
}
