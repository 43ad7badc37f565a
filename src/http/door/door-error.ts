import { type ErrorReply, errorReply } from '../transport/error-reply.ts'

/** When to send again, if nothing else is known. */
const RETRY_SECONDS = 5

/** Errors that pass by themselves: slow bodies, conflicts, rate limits. */
const PASSING: readonly number[] = [408, 409, 429]

interface DoorErrorForm {
  readonly headers: Readonly<Record<string, string>>
  readonly bodyOf: (status: number, message: string) => string | Uint8Array
  /** Other statuses that are 503 because clients drop a batch after them. */
  readonly alsoPassing?: readonly number[]
}

/**
 * An error in the form of a foreign protocol. Agents drop a batch for good at most statuses below 500, so errors
 * that pass by themselves are 503. None asks for Basic authorization.
 */
export function doorError(
  error: unknown,
  { headers, bodyOf, alsoPassing = [] }: DoorErrorForm,
): ErrorReply {
  const reply = errorReply(error)
  const isPassing = PASSING.includes(reply.status) || alsoPassing.includes(reply.status)
  const status = isPassing ? 503 : reply.status
  const { message } = JSON.parse(reply.body) as { message: string }
  const { 'www-authenticate': _, ...ownHeaders } = reply.headers
  const retry: Record<string, string> =
    status === 503 ? { 'retry-after': String(RETRY_SECONDS) } : {}
  return {
    ...reply,
    status,
    body: bodyOf(status, message),
    headers: { ...headers, ...retry, ...ownHeaders },
  }
}
