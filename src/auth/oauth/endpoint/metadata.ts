import { SCOPES } from '../scope.ts'

/** GET /.well-known/oauth-authorization-server (RFC 8414): where a client finds everything. */
export function showMetadata(issuer: string): Readonly<Record<string, unknown>> {
  const secrets = ['client_secret_basic', 'client_secret_post']
  return {
    issuer,
    authorization_endpoint: `${issuer}/alt/`,
    token_endpoint: `${issuer}/api/oauth_access_token`,
    revocation_endpoint: `${issuer}/api/oauth_revoke`,
    introspection_endpoint: `${issuer}/api/oauth_introspect`,
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: [...secrets, 'none'],
    revocation_endpoint_auth_methods_supported: [...secrets, 'none'],
    introspection_endpoint_auth_methods_supported: secrets,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  }
}
