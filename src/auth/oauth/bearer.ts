import { Capabilities } from '../../access/index.ts'
import { findClient, type Registration } from './client-record.ts'
import { type Grant, loadGrant, type StoredGrant } from './grant-record.ts'
import type { OAuthBase } from './oauth-base.ts'
import type { OAuthMode } from './oauth-settings.ts'
import { organizationAccepts } from './resolve-client.ts'
import { SCOPES, type Scope, scopesOf } from './scope.ts'
import { type AccessToken, findAccessToken } from './token-record.ts'

/** Whom an access token stands for, and what it may do. */
export interface Bearer {
  readonly token: AccessToken
  readonly grant: Grant
  /** What the token's scope leaves of the user's rights; undefined: all of them. */
  readonly scope: Capabilities | undefined
  /** Whether the token's client may act in an organization of the user. */
  accepts(organization: { readonly orgUid: string; readonly mode: OAuthMode }): boolean
}

/**
 * The living token of a text, or undefined: unknown, expired, its grant taken back, or its
 * registered client removed.
 */
export async function findBearer(base: OAuthBase, text: string): Promise<Bearer | undefined> {
  const token = await findAccessToken(base, text)
  const stored = token === undefined ? undefined : await loadGrant(base, token.grantUid)
  if (token === undefined || stored === undefined) return undefined
  const registration = await findClient(base, stored.grant.clientId)
  return toBearer(base, { token, stored, registration })
}

/** What a token's records come to at this moment: undefined when one of them has ended it. */
export function toBearer(
  base: OAuthBase,
  records: {
    readonly token: AccessToken
    readonly stored: StoredGrant
    readonly registration: Registration | undefined
  },
): Bearer | undefined {
  const { token, stored, registration } = records
  const nowMs = base.clock.now()
  if (token.endsAtMs <= nowMs || stored.endsAtMs <= nowMs) return undefined
  if (registration?.isDeleted === true) return undefined
  const { grant } = stored
  const accepts = (organization: { readonly orgUid: string; readonly mode: OAuthMode }) =>
    organizationAccepts(organization, { registration })
  return { token, grant, scope: scopeCapabilities(scopesOf(token.scope)), accepts }
}

/** Compiled once: capabilities remember what they were asked, and there are seven sets at most. */
const compiled = new Map<string, Capabilities>()

/** The capabilities that scopes leave of a user's rights, undefined when they leave all. */
export function scopeCapabilities(scopes: readonly Scope[]): Capabilities | undefined {
  if (scopes.length === SCOPES.length) return undefined
  const name = scopes.join(' ')
  return compiled.getOrInsertComputed(name, () => compile(scopes))
}

const ALL = ['GET', 'PUT', 'POST', 'DELETE'] as const
const SAMPLES = ['component/*/feed', 'component/*/property'] as const

function compile(scopes: readonly Scope[]): Capabilities {
  const has = (scope: Scope) => scopes.includes(scope)
  const methods = [
    ...(has('feed:read') ? (['GET'] as const) : []),
    ...(has('feed:write') ? (['PUT', 'POST', 'DELETE'] as const) : []),
  ]
  const samples = SAMPLES.map((resource) => ({ resource, methods }))
  return new Capabilities([...samples, { resource: '*', methods: has('admin') ? ALL : [] }])
}
