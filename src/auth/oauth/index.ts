export { beginAuthorization, decideAuthorization, signInToAuthorize } from './authorize-endpoint.ts'
export { type Bearer, findBearer } from './bearer.ts'
export { BearerCache } from './bearer-cache.ts'
export {
  BLANK_CLIENT,
  type ClientFields,
  deleteClient,
  findClient,
  insertClient,
  listClients,
  type RegisteredClient,
  renewClientSecret,
  updateClient,
} from './client-record.ts'
export { findGrant, type Grant, listGrants, revokeGrant } from './grant-record.ts'
export { introspectToken } from './introspect-endpoint.ts'
export { answerLogin } from './login-endpoint.ts'
export { showMetadata } from './metadata.ts'
export type { GrantNews, OAuthBase } from './oauth-base.ts'
export { OAuthError } from './oauth-error.ts'
export type { ParamSource } from './oauth-params.ts'
export type { OAuthMode, OAuthSettings } from './oauth-settings.ts'
export type { OAuthUsers, OAuthWithUsers } from './oauth-users.ts'
export { revokeToken } from './revoke-endpoint.ts'
export { revokeAllOf } from './revoke-user.ts'
export { answerTokenRequest } from './token-endpoint.ts'
