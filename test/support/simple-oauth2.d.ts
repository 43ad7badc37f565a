/** The part of simple-oauth2 that tests use; the package has no types of its own. */
declare module 'simple-oauth2' {
  interface Token {
    readonly access_token: string
    readonly refresh_token: string
    readonly expires_at: Date
    readonly token_type: string
  }
  interface AccessToken {
    readonly token: Token
    expired(): boolean
    refresh(params?: Record<string, string>): Promise<AccessToken>
    revokeAll(): Promise<void>
  }
  export class AuthorizationCode {
    constructor(options: {
      client: { id: string; secret: string }
      auth: Record<string, string>
      options?: Record<string, string>
    })
    authorizeURL(params: Record<string, string>): string
    getToken(params: Record<string, string>): Promise<AccessToken>
  }
}
