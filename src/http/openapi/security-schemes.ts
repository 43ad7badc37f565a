/** How callers say who they are, for the description. */
import { SCOPES } from '../../auth/oauth/index.ts'

type SecurityRequirement = Readonly<Record<string, readonly string[]>>

const SCOPE_TEXTS = {
  'feed:read': 'Read samples, last values, statistics, files, and properties',
  'feed:write': 'Store and delete samples and files, and set properties',
  admin: 'Everything else that the user can do',
} as const

/** The schemes; addresses of OAuth 2.0 are given where the service is reached. */
export function securitySchemes(publicUrl: string) {
  return {
    apiKey: {
      type: 'apiKey',
      in: 'header',
      name: 'X-Api-Key',
      description: 'An API key in a header. Recommended, because proxies do not log it',
    },
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description: 'An API key, or an OAuth access token',
    },
    apiKeyInUrl: {
      type: 'apiKey',
      in: 'query',
      name: 'api_key',
      description: 'An API key, for devices that cannot send headers',
    },
    apiKeyInCookie: { type: 'apiKey', in: 'cookie', name: 'api_key', description: 'An API key' },
    basic: {
      type: 'http',
      scheme: 'basic',
      description:
        'An API key as the password with any user, or as the user with a blank password. At sinks of ' +
        'connectors, the other part must be blank',
    },
    token: {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      description: 'An API key, as in Authorization: Token <key>',
    },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: 'session',
      description: 'The session created by POST /api/login',
    },
    sessionInUrl: {
      type: 'apiKey',
      in: 'query',
      name: 'session',
      description: 'The same session as a URL parameter',
    },
    oauth2: {
      type: 'oauth2',
      description: 'Access on behalf of a user, without the password',
      flows: {
        authorizationCode: {
          authorizationUrl: `${publicUrl}/alt/`,
          tokenUrl: `${publicUrl}/api/oauth_access_token`,
          refreshUrl: `${publicUrl}/api/oauth_access_token`,
          scopes: Object.fromEntries(SCOPES.map((scope) => [scope, SCOPE_TEXTS[scope]])),
        },
      },
    },
  } as const
}

/** What a route says whose calls are a person's own: no key and no token may make them. */
export const forPeople: Record<string, string[]>[] = [{ session: [] }, { sessionInUrl: [] }]

/** What a route says that takes an API key alone: a sink of a connector. */
export const forSinks: Record<string, string[]>[] = [
  { apiKeyInUrl: [] },
  { apiKeyInCookie: [] },
  { basic: [] },
  { apiKey: [] },
  { bearer: [] },
]

/** What calls of other protocols take: an API key or an access token, never a cookie. */
export const forDoors: Record<string, string[]>[] = [
  { token: [] },
  { bearer: [] },
  { basic: [] },
  { apiKey: [] },
  { apiKeyInUrl: [] },
]

/** The credentials that a call of a capability, such as `GET component/{uid}/feed`, may carry. */
export function credentialsFor(capability: string | undefined): readonly SecurityRequirement[] {
  const keys = ['apiKey', 'bearer', 'apiKeyInUrl', 'apiKeyInCookie']
  const plain = [...keys, 'token', 'basic', 'session', 'sessionInUrl'].map((name) => ({
    [name]: [],
  }))
  return [...plain, { oauth2: [scopeOf(capability)] }]
}

function scopeOf(capability = ''): string {
  if (!/\/(?:feed|property)$/.test(capability)) return 'admin'
  return capability.startsWith('GET ') ? 'feed:read' : 'feed:write'
}
