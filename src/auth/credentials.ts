/** How a credential came: browsers add cookies and Basic by themselves, the caller put the others there. */
export type Place = 'url' | 'header' | 'cookie' | 'basic'

/** The one credential of a call that counts. */
export interface Credential {
  readonly kind: 'session' | 'bearer' | 'api_key'
  readonly value: string
  readonly place: Place
  /** What counts in its place when a bearer turns out to be an API key: URL and cookies beat those. */
  readonly beforeKey?: Credential
}

/** What a call says about who calls. */
export interface Credentials {
  readonly credential: Credential | undefined
  /** The UID of the organization the call is about; it is no credential. */
  readonly org: string | undefined
}
