import type { Static } from 'typebox'
import {
  CLIENT_BOUNDS,
  type ClientFields,
  type Grant,
  REDIRECT_URI_LENGTH_MAX,
  type RegisteredClient,
} from '../../auth/oauth/index.ts'
import { Type } from '../../base/index.ts'

/** What an administrator writes about a client; what an update leaves out stays as it is. */
export const clientBodySchema = Type.Object(
  {
    oauth_client: Type.Object({
      name: Type.Optional(
        Type.String({
          maxLength: CLIENT_BOUNDS.name,
          description: 'Shown to users when they are asked',
        }),
      ),
      logo: Type.Optional(
        Type.String({
          maxLength: CLIENT_BOUNDS.logo,
          description: 'An https address or a data:image, or blank',
        }),
      ),
      redirectUris: Type.Optional(
        Type.Array(Type.String({ maxLength: REDIRECT_URI_LENGTH_MAX }), {
          maxItems: CLIENT_BOUNDS.redirectUris,
          description: 'The only addresses codes are sent to, exactly',
        }),
      ),
      type: Type.Optional(
        Type.Unsafe<'confidential' | 'public'>({
          type: 'string',
          enum: ['confidential', 'public'],
          description: 'Whether the client can keep a secret',
        }),
      ),
      mayUseLogin: Type.Optional(Type.Boolean({ description: 'Whether it may call oauth_login' })),
    }),
  },
  {
    title: 'OAuthClientBody',
    examples: [{ oauth_client: { name: 'Report', redirectUris: ['https://report.example/cb'] } }],
  },
)

/** What a body says about a client. */
export function readClient(body: Static<typeof clientBodySchema>): Partial<ClientFields> {
  const { name, logo, redirectUris, mayUseLogin, type } = body.oauth_client
  const isConfidential = type === undefined ? undefined : type === 'confidential'
  return { name, logo, redirectUris, mayUseLogin, isConfidential }
}

/** A client's record; the secret only in the answer that made it. */
export function showClient(client: RegisteredClient, secret?: string): object {
  return {
    uid: client.uid,
    clientId: client.uid,
    ...showClientFields(client),
    creationDate: client.createdAtMs,
    ...(secret === undefined ? {} : { clientSecret: secret }),
  }
}

/** What an administrator may change of a client. */
export function showClientFields(fields: ClientFields): object {
  const { name, logo, redirectUris, isConfidential, mayUseLogin } = fields
  return { name, logo, redirectUris, type: isConfidential ? 'confidential' : 'public', mayUseLogin }
}

/** What a user allowed a client, as the user sees it. */
export function showGrant(grant: Grant): object {
  const { uid, clientId, clientName, isRegistered, redirectHost, scope } = grant
  return {
    uid,
    clientId,
    clientName,
    isRegistered,
    redirectHost,
    scope,
    creationDate: grant.createdAtMs,
    lastRefreshDate: grant.refreshedAtMs,
  }
}
