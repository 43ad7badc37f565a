import { findBearer } from '../bearer.ts'
import { authenticateClient, type CallingClient } from '../client-credentials.ts'
import { isSameHash } from '../client-record.ts'
import { findGrant, type Grant, hashClientSecret } from '../grant-record.ts'
import { refuseOAuth } from '../oauth-error.ts'
import { type OAuthParams, type ParamSource, readParams, requireParam } from '../oauth-params.ts'
import type { OAuthWithUsers } from '../oauth-users.ts'
import { findRefreshToken } from '../token-record.ts'

/** The claims about a token (RFC 7662, 2.2); only `active: false` when it does not work. */
type Introspection =
  | { readonly active: false }
  | {
      readonly active: true
      readonly scope: string
      readonly client_id: string
      readonly username: string
      readonly sub: string
      readonly token_type: 'bearer' | 'refresh_token'
      readonly iat: number
      readonly exp: number
      readonly iss: string
    }

interface IntrospectionRequest {
  readonly source: ParamSource
  readonly authorization: string | undefined
  readonly issuer: string
  /** The organization whose administrator asks, when one does with a credential of the service. */
  readonly administeredOrgUid: string | undefined
}

const KNOWN = ['token', 'token_type_hint', 'client_id', 'client_secret']
const INACTIVE: Introspection = { active: false }

/**
 * POST /api/oauth_introspect (RFC 7662). A registered client with a secret and an administrator
 * learn about tokens of users of their organization; an open client that exchanged its code with a
 * secret learns about its own. To anyone else every token is inactive.
 */
export async function introspectToken(
  base: OAuthWithUsers,
  request: IntrospectionRequest,
): Promise<Introspection> {
  const params = readParams(request.source, KNOWN)
  const text = requireParam(params, 'token')
  const mayKnow = await askerOf(base, params, request)
  const found = (await findAccess(base, text)) ?? (await findRefresh(base, text))
  if (found === undefined || !(await mayKnow(found.grant))) return INACTIVE
  const user = await base.users.findUser(found.grant.userUid)
  if (user === undefined) return INACTIVE
  return {
    active: true,
    scope: found.scope,
    client_id: found.grant.clientId,
    username: user.email,
    sub: user.userUid,
    token_type: found.type,
    iat: Math.floor(found.issuedAtMs / 1000),
    exp: Math.floor(found.endsAtMs / 1000),
    iss: request.issuer,
  }
}

type MayKnow = (grant: Grant) => boolean | Promise<boolean>

async function askerOf(
  base: OAuthWithUsers,
  params: OAuthParams,
  request: IntrospectionRequest,
): Promise<MayKnow> {
  const ofOrganization = (orgUid: string) => async (grant: Grant) => {
    const organizations = await base.users.organizationsOf(grant.userUid)
    return organizations.some((organization) => organization.orgUid === orgUid)
  }
  if (request.administeredOrgUid !== undefined) return ofOrganization(request.administeredOrgUid)
  const client = await authenticateClient(base, params, request.authorization)
  if (client.secret === undefined) {
    refuseOAuth(
      'invalid_client',
      'Only a client with a secret or an administrator can introspect tokens',
    )
  }
  const { registration } = client
  if (registration?.isConfidential === true) return ofOrganization(registration.orgUid)
  return (grant) => isBoundTo(grant, client, client.secret ?? '')
}

function isBoundTo(grant: Grant, client: CallingClient, secret: string): boolean {
  const isOwn = grant.clientId === client.clientId && grant.secretHash !== ''
  return isOwn && isSameHash(grant.secretHash, hashClientSecret(grant.uid, secret))
}

interface FoundToken {
  readonly grant: Grant
  readonly scope: string
  readonly type: 'bearer' | 'refresh_token'
  readonly issuedAtMs: number
  readonly endsAtMs: number
}

async function findAccess(base: OAuthWithUsers, text: string): Promise<FoundToken | undefined> {
  const bearer = await findBearer(base, text)
  return bearer === undefined ? undefined : { ...bearer.token, grant: bearer.grant, type: 'bearer' }
}

async function findRefresh(base: OAuthWithUsers, text: string): Promise<FoundToken | undefined> {
  const token = await findRefreshToken(base, text)
  if (token === undefined || token.isUsed || token.endsAtMs <= base.clock.now()) return undefined
  const grant = await findGrant(base, token.grantUid)
  return grant === undefined
    ? undefined
    : { ...token, grant, scope: grant.scope, type: 'refresh_token' }
}
