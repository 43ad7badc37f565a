/** Longer texts hold data, not statements; reading them takes over a tenth of a second. */
export const GS_SQL_LENGTH_MAX = 200_000
