/** What a client may do for a user: read samples and properties, write them, or administer. */
export type Scope = 'feed:read' | 'feed:write' | 'admin'

/** Every scope word there is, in the order they are shown. */
export const SCOPES: readonly Scope[] = ['feed:read', 'feed:write', 'admin']

/**
 * The scopes that a request gives: known words narrow, unknown ones are ignored, and where no word
 * is known the client gets all of the user's rights.
 */
export function grantedScopes(asked: string | undefined): readonly Scope[] {
  const words = new Set((asked ?? '').split(/\s+/))
  const known = SCOPES.filter((scope) => words.has(scope))
  return known.length > 0 ? known : SCOPES
}

/** The scopes of a stored text. */
export function scopesOf(text: string): readonly Scope[] {
  const words = text.split(' ')
  return SCOPES.filter((scope) => words.includes(scope))
}

/** Whether the asked words say exactly what was granted, so that an answer need not repeat it. */
export function saysTheSame(asked: string | undefined, granted: readonly Scope[]): boolean {
  if (asked === undefined) return true
  const words = new Set(asked.split(/\s+/).filter((word) => word !== ''))
  return words.size === granted.length && granted.every((scope) => words.has(scope))
}
