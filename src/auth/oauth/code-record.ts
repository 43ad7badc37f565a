import { hashSecret, newSecret, newUid } from '../../base/index.ts'
import type { CatalogWrite, DocumentKey } from '../../store/index.ts'
import type { OAuthBase } from './oauth-base.ts'
import { CODE_LIFETIME_MS } from './oauth-settings.ts'

/** What a grant code stands for: who allowed whom to do what, and how the exchange must prove itself. */
export interface GrantCode {
  readonly userUid: string
  readonly clientId: string
  readonly clientName: string
  readonly isRegistered: boolean
  /** The redirect_uri of the authorization request, '' when it had none (oauth_login). */
  readonly redirectUri: string
  /** Scope words that were granted, with a space between. */
  readonly scope: string
  /** The scope parameter as the client sent it, '' when it sent none. */
  readonly askedScope: string
  /** The PKCE S256 challenge, '' when there was none. */
  readonly challenge: string
}

/** A grant code as it is kept, found again by its hash. */
export interface StoredCode extends GrantCode {
  readonly hash: string
  readonly revision: number
  /** The grant that the exchange makes, chosen ahead so that reuse can find it. */
  readonly grantUid: string
  readonly endsAtMs: number
  readonly isUsed: boolean
}

/** Keeps a code for ten minutes and returns its text, which is not kept. */
export async function issueCode(base: OAuthBase, granted: GrantCode): Promise<string> {
  const code = newSecret()
  const endsAtMs = base.clock.now() + CODE_LIFETIME_MS
  const body = { ...granted, grantUid: newUid(), endsAtMs, isUsed: false }
  await base.store.commit([
    {
      ...codeKey(hashSecret(code)),
      op: 'put',
      parentUid: granted.userUid,
      expiresAtMs: endsAtMs,
      body,
      expectedRevision: 0,
    },
  ])
  return code
}

/** What is kept of a code, used and expired ones included while they are remembered. */
export async function findCode(base: OAuthBase, code: string): Promise<StoredCode | undefined> {
  const document = await base.store.get(codeKey(hashSecret(code)))
  if (document === undefined) return undefined
  const { uid: hash, revision, body } = document
  return { ...(body as unknown as Omit<StoredCode, 'hash' | 'revision'>), hash, revision }
}

/**
 * The write that spends a code: of two that spend the same one, a single one can be committed. The
 * used code is remembered until the tokens that came from it could have ended by themselves.
 */
export function spendCode(base: OAuthBase, code: StoredCode): CatalogWrite {
  const { hash, revision, ...body } = code
  const rememberedUntilMs = base.clock.now() + base.settings.refreshTokenSeconds * 1000
  return {
    ...codeKey(hash),
    op: 'put',
    parentUid: code.userUid,
    expiresAtMs: Math.max(code.endsAtMs, rememberedUntilMs),
    body: { ...body, isUsed: true },
    expectedRevision: revision,
  }
}

function codeKey(hash: string): DocumentKey {
  return { orgUid: '', kind: 'oauth_code', uid: hash }
}
