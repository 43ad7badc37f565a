export { type Bearer, findBearer } from './bearer.ts'
export { BearerCache } from './bearer-cache.ts'
export {
  BLANK_CLIENT,
  CLIENT_BOUNDS,
  type ClientFields,
  deleteClient,
  findClient,
  insertClient,
  listClients,
  listClientsFor,
  type RegisteredClient,
  renewClientSecret,
  updateClient,
} from './client-record.ts'
export {
  beginAuthorization,
  decideAuthorization,
  signInToAuthorize,
} from './endpoint/authorize-endpoint.ts'
export { introspectToken } from './endpoint/introspect-endpoint.ts'
export { answerLogin } from './endpoint/login-endpoint.ts'
export { showMetadata } from './endpoint/metadata.ts'
export { revokeToken } from './endpoint/revoke-endpoint.ts'
export { answerTokenRequest } from './endpoint/token-endpoint.ts'
export { findGrant, type Grant, listGrants, revokeGrant } from './grant-record.ts'
export type { GrantNews, OAuthBase } from './oauth-base.ts'
export { OAuthError } from './oauth-error.ts'
export type { ParamSource } from './oauth-params.ts'
export {
  type OAuthMode,
  type OAuthSettings,
  PARAMETER_LENGTH_MAX,
  REDIRECT_URI_LENGTH_MAX,
} from './oauth-settings.ts'
export type { OAuthUsers, OAuthWithUsers } from './oauth-users.ts'
export { revokeAllOf } from './revoke-user.ts'
export { SCOPES } from './scope.ts'
