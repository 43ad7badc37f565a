import { findClient, type RegisteredClient } from './client-record.ts'
import type { OAuthBase } from './oauth-base.ts'
import type { OAuthMode } from './oauth-settings.ts'
import { isRegisteredRedirect, redirectUriFault } from './redirect-uri.ts'

/** A client as the flows see it: registered, or (in open mode) known only by the ID it names. */
export interface OAuthClient {
  readonly clientId: string
  readonly name: string
  readonly logo: string
  readonly registration: RegisteredClient | undefined
}

const CLIENT_ID_LENGTH_MAX = 255

/** The client of a client_id, or why the service does not know it. */
export async function resolveClient(
  base: OAuthBase,
  clientId: string,
): Promise<OAuthClient | string> {
  if (clientId.length > CLIENT_ID_LENGTH_MAX || !/^[\x20-\x7E]+$/.test(clientId)) {
    return `client_id must have 1 to ${CLIENT_ID_LENGTH_MAX} printable ASCII characters`
  }
  const registration = await findClient(base, clientId)
  if (registration?.isDeleted === true) return 'client_id belongs to a deleted client'
  if (registration === undefined && base.settings.mode === 'strict') {
    return 'client_id is not registered. An administrator must register the client first'
  }
  const { name = clientId, logo = '' } = registration ?? {}
  return { clientId, name, logo, registration }
}

/**
 * Why a client may not receive codes at an address, or undefined when it may: a registered client
 * is held to its registration, others to what may receive a code at all.
 */
export function clientRedirectFault(
  { registration }: OAuthClient,
  redirectUri: string,
): string | undefined {
  const fault = redirectUriFault(redirectUri)
  if (fault !== undefined || registration === undefined) return fault
  if (isRegisteredRedirect(redirectUri, registration.redirectUris)) return undefined
  return 'redirect_uri is not registered for this client'
}

/**
 * Whether an organization lets a client act in it: in open mode any, in strict mode only those its
 * own administrators registered.
 */
export function organizationAccepts(
  organization: { readonly orgUid: string; readonly mode: OAuthMode },
  client: { readonly registration: Pick<RegisteredClient, 'orgUid'> | undefined },
): boolean {
  return organization.mode === 'open' || client.registration?.orgUid === organization.orgUid
}
