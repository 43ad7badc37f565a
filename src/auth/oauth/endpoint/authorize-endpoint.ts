import {
  type AuthorizationContext,
  type AuthorizationRequest,
  type CheckedRequest,
  checkAuthorizationRequest,
  refusalAddress,
  successAddress,
} from '../authorization-request.ts'
import { issueCode } from '../code-record.ts'
import { issueTicket, takeTicket } from '../consent-ticket.ts'
import { OAuthError } from '../oauth-error.ts'
import {
  acceptingOrganizations,
  type OAuthUser,
  type OAuthWithUsers,
  type UserOrganization,
} from '../oauth-users.ts'
import { redirectHost } from '../redirect-uri.ts'
import type { Scope } from '../scope.ts'

/** What the authorization page shows next. */
type PageStep =
  | {
      readonly step: 'show'
      readonly message: string
      /** Where the user may choose to go back to, with the error; absent when nowhere is safe. */
      readonly back?: { readonly to: string; readonly host: string }
    }
  | { readonly step: 'redirect'; readonly to: string }
  | { readonly step: 'sign_in'; readonly email: string; readonly client: ShownClient }
  | {
      readonly step: 'consent'
      readonly ticket: string
      readonly user: OAuthUser
      readonly client: ShownClient
      readonly organizations: readonly string[]
      readonly scopes: readonly Scope[]
      readonly isNarrowed: boolean
    }

/** A client as a person reads it. */
interface ShownClient {
  readonly name: string
  /** '' when there is none, or none that can be trusted. */
  readonly logo: string
  /** Whether an administrator of the user's organization registered it; false before the sign-in. */
  readonly isVouchedFor: boolean
  /** The host, or the app's scheme, that receives the code. */
  readonly redirectHost: string
}

/** First step of the page: may this client ask at all? */
export async function beginAuthorization(
  base: OAuthWithUsers,
  context: AuthorizationContext,
): Promise<PageStep> {
  const checked = await checkAuthorizationRequest(base, context)
  if (checked.kind !== 'ask') return stepOf(checked)
  const { request } = checked
  return { step: 'sign_in', email: request.email, client: showClient(request, []) }
}

/** Second step: the user signs in and is asked for consent. */
export async function signInToAuthorize(
  base: OAuthWithUsers,
  context: AuthorizationContext,
  attempt: Parameters<OAuthWithUsers['users']['signIn']>[0],
): Promise<PageStep> {
  const checked = await checkAuthorizationRequest(base, context)
  if (checked.kind !== 'ask') return stepOf(checked)
  const { request } = checked
  const user = await base.users.signIn(attempt)
  const organizations = await acceptingOrganizations(base, user.userUid, request.client)
  if (organizations.length === 0) return { step: 'show', message: NO_ORGANIZATION }
  return {
    step: 'consent',
    ticket: await issueTicket(base, { userUid: user.userUid, query: context.query }),
    user,
    client: showClient(request, organizations),
    organizations: organizations.map(({ name }) => name),
    scopes: request.scopes,
    isNarrowed: request.scopes.length < 3,
  }
}

/** Last step: the user's answer sends the browser back, with a code or with access_denied. */
export async function decideAuthorization(
  base: OAuthWithUsers,
  context: Omit<AuthorizationContext, 'query'>,
  answer: { readonly ticket: string; readonly isAllowed: boolean },
): Promise<PageStep> {
  const ticket = await takeTicket(base, answer.ticket)
  if (ticket === undefined) return { step: 'show', message: TOO_LATE }
  const checked = await checkAuthorizationRequest(base, { ...context, query: ticket.query })
  if (checked.kind !== 'ask') return stepOf(checked)
  const { request } = checked
  if (!answer.isAllowed) return refused(request, 'The user denied the request', context.issuer)
  const organizations = await acceptingOrganizations(base, ticket.userUid, request.client)
  if (organizations.length === 0) return refused(request, NO_ORGANIZATION, context.issuer)
  const { client, redirectUri, scopes, askedScope, challenge } = request
  const code = await issueCode(base, {
    userUid: ticket.userUid,
    clientId: client.clientId,
    clientName: client.name,
    isRegistered: client.registration !== undefined,
    redirectUri,
    scope: scopes.join(' '),
    askedScope,
    challenge,
  })
  return { step: 'redirect', to: successAddress(request, code, context.issuer) }
}

const NO_ORGANIZATION = 'None of your organizations accepts this client. Ask an administrator'
const TOO_LATE = 'This page has expired or was already answered. Start again from the app'

function refused(request: AuthorizationRequest, why: string, issuer: string): PageStep {
  return {
    step: 'redirect',
    to: refusalAddress(request, new OAuthError('access_denied', why), issuer),
  }
}

function stepOf(checked: Exclude<CheckedRequest, { kind: 'ask' }>): PageStep {
  const { message } = checked
  if (checked.kind === 'show') return { step: 'show', message }
  const { to, isTrusted } = checked
  if (isTrusted) return { step: 'redirect', to }
  return { step: 'show', message, back: { to, host: redirectHost(to) } }
}

/**
 * A client is vouched for when an administrator of the user's own organization registered it: the
 * logo that someone else chose could make a malicious client look trusted.
 */
function showClient(
  { client, redirectUri }: AuthorizationRequest,
  organizations: readonly UserOrganization[],
): ShownClient {
  const { name, logo, registration } = client
  const isVouchedFor = organizations.some(({ orgUid }) => orgUid === registration?.orgUid)
  const shown = { name, isVouchedFor, redirectHost: redirectHost(redirectUri) }
  return { ...shown, logo: isVouchedFor ? logo : '' }
}
