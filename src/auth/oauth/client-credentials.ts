import { isClientSecret } from './client-record.ts'
import type { OAuthBase } from './oauth-base.ts'
import { refuseOAuth } from './oauth-error.ts'
import type { OAuthParams } from './oauth-params.ts'
import { type OAuthClient, resolveClient } from './resolve-client.ts'

/** A client at the token, revocation or introspection endpoint, with the secret it passed. */
export interface CallingClient extends OAuthClient {
  readonly secret: string | undefined
}

/**
 * Who calls: client_id and client_secret from the parameters or from a Basic header, never the
 * secret from both. A confidential client must pass its secret here; a secret that a public or an
 * open client passes is for the steps that bound it to a grant.
 */
export async function authenticateClient(
  base: OAuthBase,
  params: OAuthParams,
  authorization: string | undefined,
): Promise<CallingClient> {
  const { clientId, secret } = readCredentials(params, authorization)
  const client = await resolveClient(base, clientId)
  if (typeof client === 'string') refuseOAuth('invalid_client', client)
  const { registration } = client
  if (registration?.isConfidential === true) {
    if (secret === undefined) refuseOAuth('invalid_client', 'client_secret is missing')
    if (!isClientSecret(registration, secret)) {
      refuseOAuth('invalid_client', 'client_secret is wrong')
    }
  }
  return { ...client, secret }
}

function readCredentials(
  params: OAuthParams,
  authorization: string | undefined,
): { clientId: string; secret: string | undefined } {
  const named = params.get('client_id')
  const secret = params.get('client_secret')
  const basic = readBasic(authorization)
  if (basic === undefined) {
    return { clientId: named ?? refuseOAuth('invalid_request', 'client_id is missing'), secret }
  }
  if (named !== undefined && named !== basic.clientId) {
    refuseOAuth('invalid_request', 'client_id differs from the user name of the Basic header')
  }
  if (secret !== undefined) {
    refuseOAuth(
      'invalid_request',
      'client_secret is given twice: in the Basic header and as a parameter',
    )
  }
  return basic
}

function readBasic(
  authorization: string | undefined,
): { clientId: string; secret: string | undefined } | undefined {
  const match = /^basic +([A-Za-z0-9+/=]+) *$/i.exec(authorization ?? '')
  if (match === null) return undefined
  const text = Buffer.from(match[1], 'base64').toString('utf8')
  const colonAt = text.indexOf(':')
  if (colonAt <= 0)
    refuseOAuth('invalid_client', 'The Basic header must contain client_id:client_secret')
  const secret = decodeForm(text.slice(colonAt + 1))
  return {
    clientId: decodeForm(text.slice(0, colonAt)),
    secret: secret === '' ? undefined : secret,
  }
}

/** RFC 6749, 2.3.1 form-encodes both parts; a text that is no such encoding was sent as it is. */
function decodeForm(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
