import { PARAMETER_LENGTH_MAX, showMetadata } from '../../auth/oauth/index.ts'
import { Type } from '../../base/index.ts'
import { EXAMPLE_UID, named, oneOf } from '../openapi/answer-schema.ts'

const text = (description: string) => Type.String({ maxLength: PARAMETER_LENGTH_MAX, description })
const optionalText = (description: string) => Type.Optional(text(description))

/** The token request of service.md 5.3, for the API description. */
export const tokenRequestSchema = named(
  'OAuthTokenRequest',
  {
    grant_type: oneOf(['authorization_code', 'refresh_token']),
    code: optionalText('The grant code; not with grant_type refresh_token'),
    client_id: text('As in the authorization request'),
    client_secret: optionalText('Needed again for the refresh when it is passed with the code'),
    redirect_uri: optionalText('When given, the same as in the authorization request'),
    refresh_token: optionalText('With grant_type refresh_token'),
    code_verifier: optionalText('When the authorization request had a code_challenge'),
    scope: optionalText('With grant_type refresh_token: narrows the access token'),
    state: optionalText('Ignored'),
  },
  { grant_type: 'authorization_code', client_id: 'report', code: EXAMPLE_UID },
)

/** The tokens of service.md 5.3. */
export const tokenAnswerSchema = named(
  'OAuthTokens',
  {
    access_token: Type.String(),
    token_type: Type.Literal('bearer'),
    expires_in: Type.Integer({ description: 'Seconds' }),
    refresh_token: Type.String(),
    scope: optionalText('Only where it differs from what was asked'),
  },
  {
    access_token: EXAMPLE_UID,
    token_type: 'bearer',
    expires_in: 86400,
    refresh_token: EXAMPLE_UID,
  },
)

/** The login request of service.md 5.4. */
export const loginRequestSchema = named(
  'OAuthLoginRequest',
  {
    email: Type.String(),
    password: Type.String(),
    otp: optionalText('A code of the second factor, for accounts that have one'),
    client_id: Type.String(),
    response_type: Type.Literal('code'),
    scope: optionalText('feed:read, feed:write, admin, with spaces between'),
    state: optionalText('Echoed as oauthState'),
    redirect_uri: optionalText('Echoed as oauthRedirectUri and bound to the code'),
  },
  {
    email: 'ada@example.com',
    password: 'correct horse battery',
    client_id: 'report',
    response_type: 'code',
  },
)

/** The grant code of service.md 5.4. */
export const loginAnswerSchema = named(
  'OAuthLoginAnswer',
  {
    success: Type.Boolean(),
    oauthCode: Type.String(),
    oauthState: Type.String(),
    message: Type.String(),
    oauthRedirectUri: Type.String(),
  },
  {
    success: true,
    oauthCode: EXAMPLE_UID,
    oauthState: 'x',
    message: '',
    oauthRedirectUri: '',
  },
)

/** A token that is revoked or asked about. */
export const tokenQuestionSchema = named(
  'OAuthTokenQuestion',
  {
    token: Type.String(),
    token_type_hint: Type.Optional(Type.String()),
    client_id: optionalText('Unless the Basic header names the client'),
    client_secret: Type.Optional(Type.String()),
  },
  { token: EXAMPLE_UID, client_id: 'report' },
)

/** The answer to a revocation, which RFC 7009 has clients ignore. */
export const revocationAnswerSchema = Type.Object({}, { examples: [{}] })

/** The claims about a token (RFC 7662). Of a token of others, only that it is not active. */
export const introspectionAnswerSchema = named(
  'OAuthIntrospection',
  {
    active: Type.Boolean(),
    scope: Type.Optional(Type.String()),
    client_id: Type.Optional(Type.String()),
    username: Type.Optional(Type.String()),
    sub: Type.Optional(Type.String()),
    token_type: Type.Optional(oneOf(['bearer', 'refresh_token'])),
    iat: Type.Optional(Type.Integer({ description: 'Epoch seconds' })),
    exp: Type.Optional(Type.Integer({ description: 'Epoch seconds' })),
    iss: Type.Optional(Type.String()),
  },
  { active: false },
)

const words = Type.Array(Type.String())

/** The metadata of RFC 8414. */
export const metadataAnswerSchema = named(
  'OAuthMetadata',
  {
    issuer: Type.String(),
    authorization_endpoint: Type.String(),
    token_endpoint: Type.String(),
    revocation_endpoint: Type.String(),
    introspection_endpoint: Type.String(),
    scopes_supported: words,
    response_types_supported: words,
    response_modes_supported: words,
    grant_types_supported: words,
    token_endpoint_auth_methods_supported: words,
    revocation_endpoint_auth_methods_supported: words,
    introspection_endpoint_auth_methods_supported: words,
    code_challenge_methods_supported: words,
    authorization_response_iss_parameter_supported: Type.Boolean(),
  },
  showMetadata('https://weir.example'),
)
