import type { DatabaseFailure, DatabaseTarget } from '../database-port.ts'

const HIDDEN = 'The server refused the sign-in. Its message contains the password and is not shown'

/**
 * The message of a failure, or a fixed sentence when the server repeats the password in it. Anything that happens only for the right
 * password confirms guesses, so text that callers choose is never compared with it:
 * - After sign-in callers send SQL, which can build any text, and the server has no reason to know the password.
 * - A name that the connection shows may contain the password. Changing that name takes the password.
 */
export function failureMessage(
  { message, hasServerText }: Pick<DatabaseFailure, 'message' | 'hasServerText'>,
  { password, host, user, database }: DatabaseTarget,
  { isSignedIn }: { readonly isSignedIn: boolean },
): string {
  if (isSignedIn || !hasServerText) return message
  if (password === '' || !message.includes(password)) return message
  const isInName = [host, user, database].some((name) => name.includes(password))
  return isInName ? message : HIDDEN
}
