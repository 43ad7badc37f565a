import { refuse } from '../../../base/index.ts'
import { issueCode } from '../code-record.ts'
import { OAuthError } from '../oauth-error.ts'
import { type OAuthParams, type ParamSource, readParams, requireParam } from '../oauth-params.ts'
import { acceptingOrganizations, type OAuthWithUsers } from '../oauth-users.ts'
import { readChallenge } from '../pkce.ts'
import { clientRedirectFault, type OAuthClient, resolveClient } from '../resolve-client.ts'
import { grantedScopes } from '../scope.ts'

/** The body of a successful oauth_login (contract, 5.4). */
interface LoginAnswer {
  readonly success: true
  readonly oauthCode: string
  readonly oauthState: string
  readonly message: string
  readonly oauthRedirectUri: string
}

const KNOWN = [
  'email',
  'password',
  'scope',
  'response_type',
  'state',
  'redirect_uri',
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'otp',
]

/** POST /api/oauth_login: a grant code for a user whose password the caller holds. */
export async function answerLogin(
  base: OAuthWithUsers,
  request: { readonly source: ParamSource; readonly address: string },
): Promise<LoginAnswer> {
  const given = readLogin(request.source)
  const client = await loginClient(base, given)
  const user = await base.users.signIn({ ...given, address: request.address })
  const organizations = await acceptingOrganizations(base, user.userUid, client)
  if (organizations.length === 0) {
    refuse('forbidden', { what: 'None of your organizations accepts this client_id' })
  }
  const oauthCode = await issueCode(base, {
    userUid: user.userUid,
    clientId: client.clientId,
    clientName: client.name,
    isRegistered: client.registration !== undefined,
    redirectUri: given.redirectUri,
    scope: grantedScopes(given.askedScope).join(' '),
    askedScope: given.askedScope,
    challenge: given.challenge,
  })
  const { state: oauthState, redirectUri: oauthRedirectUri } = given
  return { success: true, oauthCode, oauthState, message: '', oauthRedirectUri }
}

interface Login {
  readonly email: string
  readonly password: string
  readonly otp: string
  readonly clientId: string
  readonly redirectUri: string
  readonly state: string
  readonly askedScope: string
  readonly challenge: string
}

/** The answers here carry the service's own envelope, so what RFC 6749 calls is a bad input. */
function readLogin(source: ParamSource): Login {
  try {
    const params = readParams(source, KNOWN)
    checkResponseType(params)
    return {
      email: requireParam(params, 'email'),
      password: requireParam(params, 'password'),
      otp: params.get('otp') ?? '',
      clientId: requireParam(params, 'client_id'),
      redirectUri: params.get('redirect_uri') ?? '',
      state: params.get('state') ?? '',
      askedScope: params.get('scope') ?? '',
      challenge: readChallenge(params),
    }
  } catch (error) {
    if (error instanceof OAuthError) refuse('bad_input', { what: error.message })
    throw error
  }
}

function checkResponseType(params: OAuthParams): void {
  if (requireParam(params, 'response_type') === 'code') return
  refuse('bad_input', { what: 'response_type must be code' })
}

/**
 * A registered client is held to its registration. Nobody is redirected here, but the caller may
 * send a browser where the answer says: an address that the page would refuse is refused, too.
 */
async function loginClient(base: OAuthWithUsers, given: Login): Promise<OAuthClient> {
  const client = await resolveClient(base, given.clientId)
  if (typeof client === 'string') refuse('bad_input', { what: client })
  if (client.registration?.mayUseLogin === false) {
    refuse('forbidden', {
      what: 'This client cannot use oauth_login. An administrator can allow it',
    })
  }
  const { redirectUri } = given
  const fault = redirectUri === '' ? undefined : clientRedirectFault(client, redirectUri)
  if (fault !== undefined) refuse('bad_input', { what: fault })
  return client
}
