import { errorCatalogue, newUid, Refusal, refusal } from '../../base/index.ts'
import { CatalogConflict } from '../../store/index.ts'

/** The error that a client receives, and the details that only the log may hold. */
export interface ErrorReply {
  readonly status: number
  /** The code in the envelope. */
  readonly code: string
  readonly body: string | Uint8Array
  readonly headers: Readonly<Record<string, string>>
  /** Present when the fault is ours: logged under this id, which the answer carries. */
  readonly incident: string | undefined
  /** What was kept back of a refusal's message, whole, for the log; undefined: nothing was. */
  readonly reason: string | undefined
}

/** An error as text: ours. */
interface TextReply extends ErrorReply {
  readonly body: string
}

/** Handles come back as soon as connections and files are closed. */
const HANDLES_RETRY_SECONDS = 5

/** What the body of an error may contain beside code and message: the field of a record, a place in GS SQL. */
type EnvelopeDetails = Partial<Pick<Refusal, 'field' | 'place'>>

/** The body of every error. */
export function errorEnvelope(
  code: string,
  message: string,
  { field, place }: EnvelopeDetails = {},
): string {
  return JSON.stringify({ success: false, message, code, field, ...place })
}

/** Turns whatever was thrown into the answer for the client. */
export function errorReply(error: unknown): TextReply {
  if (error instanceof Refusal) return refusalReply(error)
  if (error instanceof CatalogConflict) {
    const what = 'This record was changed by another request. Read it again, then repeat the change'
    return refusalReply(refusal('conflict', { what }))
  }
  if (isOutOfHandles(error)) {
    return refusalReply(refusal('overloaded', { retryAfterSeconds: HANDLES_RETRY_SECONDS }))
  }
  const incident = newUid()
  const { status, text } = errorCatalogue.internal
  const body = errorEnvelope('internal', text({ incident }))
  return { status, code: 'internal', body, headers: {}, incident, reason: undefined }
}

/** Whether an error, or what caused it, says that no file handle was left, which passes. */
function isOutOfHandles(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as NodeJS.ErrnoException
  return code === 'EMFILE' || code === 'ENFILE' || (cause instanceof Error && isOutOfHandles(cause))
}

/** What a refusal says; of a failed disk only file names, as folders are nobody's business. */
function shownMessage({ code, message }: Refusal): string {
  if (code !== 'read_only') return message
  return message
    .split(' ')
    .map((word) => word.slice(word.lastIndexOf('/') + 1))
    .join(' ')
}

/** The whole message of a refusal of which callers are shown less; the log must have it. */
function hiddenReason(error: Refusal): string | undefined {
  return error.code === 'read_only' ? error.message : undefined
}

function refusalReply(error: Refusal): TextReply {
  const retryAfter = error.retryAfterSeconds
  const challenge = bearerChallenge(error)
  return {
    status: error.status,
    code: error.code,
    body: errorEnvelope(error.code, shownMessage(error), error),
    headers: {
      ...(retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfter)) }),
      ...(challenge === undefined ? {} : { 'www-authenticate': challenge }),
    },
    incident: undefined,
    reason: hiddenReason(error),
  }
}

/** The challenge of RFC 6750, section 3. A call without a token receives only the scheme. */
function bearerChallenge({ code }: Refusal): string | undefined {
  switch (code) {
    case 'unauthorized':
      return 'Bearer realm="Weir"'
    case 'invalid_token':
    case 'insufficient_scope':
      return `Bearer realm="Weir", error="${code}"`
    case 'bearer_repeated':
      return 'Bearer realm="Weir", error="invalid_request"'
    default:
      return undefined
  }
}
