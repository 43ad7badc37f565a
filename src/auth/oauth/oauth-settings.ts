/** Whether clients that no administrator registered may ask users for access. */
export type OAuthMode = 'open' | 'strict'

/** What an operator decides about OAuth. */
export interface OAuthSettings {
  readonly mode: OAuthMode
  readonly accessTokenSeconds: number
  /** How long a refresh token lives unused; each refresh gives one with a whole life ahead. */
  readonly refreshTokenSeconds: number
}

/** A grant code is exchanged by a program within seconds; ten minutes also forgive slow clocks. */
export const CODE_LIFETIME_MS = 600_000

/** How long a signed-in user may think about the consent question. */
export const TICKET_LIFETIME_MS = 600_000

/** One program of one user: even many devices that share a client_id rarely signs in more often. */
export const GRANTS_PER_CLIENT_MAX = 100

/** Access tokens of one grant that work side by side; older ones end when a refresh adds one. */
export const TOKENS_PER_GRANT_MAX = 10

/** Used refresh tokens remembered per grant, so that the return of one is noticed. */
export const REFRESHES_REMEMBERED_MAX = 100

/** Longer than any parameter in use, short enough that nothing can be stuffed into a record. */
export const PARAMETER_LENGTH_MAX = 4_096

/** What browsers and servers are known to take as an address. */
export const REDIRECT_URI_LENGTH_MAX = 2_048
