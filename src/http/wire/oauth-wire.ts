import { Type } from 'typebox'

const text = (description: string) => Type.String({ description })
const optionalText = (description: string) => Type.Optional(text(description))

/** The token request of service.md 5.3, for the API description. */
export const tokenRequestSchema = Type.Object({
  grant_type: Type.Union([Type.Literal('authorization_code'), Type.Literal('refresh_token')]),
  code: optionalText('The grant code; not with grant_type refresh_token'),
  client_id: text('As in the authorization request'),
  client_secret: optionalText('Needed again for the refresh when it is passed with the code'),
  redirect_uri: optionalText('When given, the same as in the authorization request'),
  refresh_token: optionalText('With grant_type refresh_token'),
  code_verifier: optionalText('When the authorization request had a code_challenge'),
  scope: optionalText('With grant_type refresh_token: narrows the access token'),
  state: optionalText('Ignored'),
})

/** The tokens of service.md 5.3. */
export const tokenAnswerSchema = Type.Object({
  access_token: Type.String(),
  token_type: Type.Literal('bearer'),
  expires_in: Type.Integer({ description: 'Seconds' }),
  refresh_token: Type.String(),
  scope: optionalText('Only where it differs from what was asked'),
})

/** The login request of service.md 5.4. */
export const loginRequestSchema = Type.Object({
  email: Type.String(),
  password: Type.String(),
  otp: optionalText('A code of the second factor, for accounts that have one'),
  client_id: Type.String(),
  response_type: Type.Literal('code'),
  scope: optionalText('feed:read, feed:write, admin, with spaces between'),
  state: optionalText('Echoed as oauthState'),
  redirect_uri: optionalText('Echoed as oauthRedirectUri and bound to the code'),
})

/** The grant code of service.md 5.4. */
export const loginAnswerSchema = Type.Object({
  success: Type.Boolean(),
  oauthCode: Type.String(),
  oauthState: Type.String(),
  message: Type.String(),
  oauthRedirectUri: Type.String(),
})

/** A token that is revoked or asked about. */
export const tokenQuestionSchema = Type.Object({
  token: Type.String(),
  token_type_hint: Type.Optional(Type.String()),
  client_id: optionalText('Unless the Basic header names the client'),
  client_secret: Type.Optional(Type.String()),
})
