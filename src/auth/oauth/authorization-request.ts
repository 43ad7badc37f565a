import type { OAuthBase } from './oauth-base.ts'
import { OAuthError, refuseOAuth } from './oauth-error.ts'
import { type OAuthParams, readParams, requireParam } from './oauth-params.ts'
import type { OAuthWithUsers } from './oauth-users.ts'
import { readChallenge } from './pkce.ts'
import { withAnswer } from './redirect-uri.ts'
import { clientRedirectFault, type OAuthClient, resolveClient } from './resolve-client.ts'
import { grantedScopes, type Scope } from './scope.ts'

/** An authorization request that a user can be asked about. */
export interface AuthorizationRequest {
  readonly client: OAuthClient
  readonly redirectUri: string
  readonly state: string | undefined
  readonly email: string
  readonly askedScope: string
  readonly scopes: readonly Scope[]
  readonly challenge: string
}

/**
 * What the page does with a request: ask the user, send the browser back with an error, or, when
 * the client or its address cannot be trusted, show why and send it nowhere.
 */
export type CheckedRequest =
  | { readonly kind: 'ask'; readonly request: AuthorizationRequest }
  | {
      readonly kind: 'redirect'
      readonly to: string
      readonly message: string
      /** Whether the browser may go there before anyone has signed in or agreed. */
      readonly isTrusted: boolean
    }
  | { readonly kind: 'show'; readonly message: string }

/** Who asks, and the issuer that answers name to the client (RFC 9207). */
export interface AuthorizationContext {
  readonly query: string
  readonly issuer: string
}

/** Checks the parameters of service.md 5.2 and PKCE, in the order that RFC 6749, 4.1.2.1 asks for. */
export async function checkAuthorizationRequest(
  base: OAuthWithUsers,
  context: AuthorizationContext,
): Promise<CheckedRequest> {
  const source = { query: context.query, contentType: '', body: '' }
  let client: OAuthClient
  let redirectUri: string
  try {
    const trusted = readParams(source, ['client_id', 'redirect_uri'])
    client = await requireClient(base, requireParam(trusted, 'client_id'))
    redirectUri = requireParam(trusted, 'redirect_uri')
    const fault = clientRedirectFault(client, redirectUri)
    if (fault !== undefined) refuseOAuth('invalid_request', fault)
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    return { kind: 'show', message: error.message }
  }
  try {
    const params = readParams(source, REDIRECTED)
    const isStrict = await isHeldStrictly(base, client)
    return { kind: 'ask', request: readRequest({ params, client, redirectUri, isStrict }) }
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    const state = stateOf(context.query)
    const to = refusalAddress({ redirectUri, state }, error, context.issuer)
    // An address that nobody vouches for, of whatever scheme, would make this page an open
    // redirector by a mistake made on purpose (RFC 9700, 4.11.2): there the user decides.
    const isTrusted = client.registration !== undefined
    return { kind: 'redirect', to, message: error.message, isTrusted }
  }
}

/** Where the browser goes when a request is refused. */
export function refusalAddress(
  request: Pick<AuthorizationRequest, 'redirectUri' | 'state'>,
  error: OAuthError,
  issuer: string,
): string {
  const answer = { error: error.error, error_description: error.message }
  return withAnswer(request.redirectUri, { ...answer, ...withState(request.state), iss: issuer })
}

/** Where the browser goes with a code. */
export function successAddress(
  request: Pick<AuthorizationRequest, 'redirectUri' | 'state'>,
  code: string,
  issuer: string,
): string {
  return withAnswer(request.redirectUri, { code, ...withState(request.state), iss: issuer })
}

const REDIRECTED = [
  'response_type',
  'response_mode',
  'state',
  'email',
  'login_hint',
  'scope',
  'code_challenge',
  'code_challenge_method',
  'client_id',
  'redirect_uri',
]

async function requireClient(base: OAuthBase, clientId: string): Promise<OAuthClient> {
  const client = await resolveClient(base, clientId)
  return typeof client === 'string' ? refuseOAuth('invalid_request', client) : client
}

async function isHeldStrictly(base: OAuthWithUsers, client: OAuthClient): Promise<boolean> {
  const { registration } = client
  if (registration === undefined) return base.settings.mode === 'strict'
  return (await base.users.modeOf(registration.orgUid)) === 'strict'
}

function readRequest(given: {
  readonly params: OAuthParams
  readonly client: OAuthClient
  readonly redirectUri: string
  readonly isStrict: boolean
}): AuthorizationRequest {
  const { params, client, redirectUri, isStrict } = given
  if (requireParam(params, 'response_type') !== 'code') {
    refuseOAuth('unsupported_response_type', 'response_type must be code')
  }
  if ((params.get('response_mode') ?? 'query') !== 'query') {
    refuseOAuth('invalid_request', 'response_mode must be query')
  }
  const challenge = readChallenge(params)
  if (challenge === '' && isStrict && client.registration?.isConfidential !== true) {
    refuseOAuth('invalid_request', 'code_challenge is missing: this client must use PKCE with S256')
  }
  return {
    client,
    redirectUri,
    state: params.get('state'),
    email: params.get('email') ?? params.get('login_hint') ?? '',
    askedScope: params.get('scope') ?? '',
    scopes: grantedScopes(params.get('scope')),
    challenge,
  }
}

/** The state of a request that is refused for another reason; one given twice is not sent back. */
function stateOf(query: string): string | undefined {
  const states = new URLSearchParams(query).getAll('state').filter((state) => state !== '')
  return states.length === 1 ? states[0] : undefined
}

function withState(state: string | undefined): { state?: string } {
  return state === undefined ? {} : { state }
}
