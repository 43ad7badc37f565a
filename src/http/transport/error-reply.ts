import { errorCatalogue, newUid, Refusal, refusal } from '../../base/index.ts'
import { CatalogConflict } from '../../store/index.ts'

/** What a client is told about an error, and what only the log may hold. */
export interface ErrorReply {
  readonly status: number
  /** The code in the envelope. */
  readonly code: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  /** Present when the fault is ours: logged under this id, which the answer carries. */
  readonly incident: string | undefined
  /** What was kept back of a refusal's message, whole, for the log; undefined: nothing was. */
  readonly reason: string | undefined
}

/** Handles come back as soon as connections and files are closed. */
const HANDLES_RETRY_SECONDS = 5

/** What the body of an error may tell beside code and message: the field of a record, a place in GS SQL. */
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
export function errorReply(error: unknown): ErrorReply {
  if (error instanceof Refusal) return refusalReply(error)
  const framework = frameworkRefusal(error)
  if (framework !== undefined) return refusalReply(framework)
  if (error instanceof CatalogConflict) {
    const what = 'Someone else changed this record meanwhile: read it again, then repeat the change'
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
export function shownMessage({ code, message }: Refusal): string {
  if (code !== 'read_only') return message
  return message
    .split(' ')
    .map((word) => word.slice(word.lastIndexOf('/') + 1))
    .join(' ')
}

/** The whole message of a refusal of which callers are shown less; the log must have it. */
export function hiddenReason(error: Refusal): string | undefined {
  return error.code === 'read_only' ? error.message : undefined
}

function refusalReply(error: Refusal): ErrorReply {
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

/** What RFC 6750, 3 tells a client about its token; a call without one is told only the scheme. */
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

interface FrameworkError {
  readonly code?: string
  readonly statusCode?: number
  readonly message: string
  readonly validation?: ReadonlyArray<{
    readonly instancePath: string
    readonly message?: string
    readonly params?: {
      readonly missingProperty?: unknown
      readonly requiredProperties?: unknown
      readonly allowedValues?: readonly unknown[]
    }
  }>
  readonly validationContext?: string
}

/** The field of a body that a check names; of one that is missing, its own path. */
function bodyField({
  instancePath,
  params,
}: NonNullable<FrameworkError['validation']>[number]): string | undefined {
  const missing = [params?.missingProperty ?? params?.requiredProperties ?? []].flat()
  const parts = [...instancePath.split('/').slice(1), ...missing.slice(0, 1).map(String)]
  return parts.length === 0 ? undefined : placeOf(parts)
}

/** Where only some values are taken: which, as the messages of records tell it. */
function allowedMessage({
  params,
}: NonNullable<FrameworkError['validation']>[number]): string | undefined {
  const allowed = params?.allowedValues
  if (allowed === undefined) return undefined
  return `must be one of ${allowed.map((value) => value || '""').join(', ')}`
}

/** A place in a body as all messages write it, `panels[0].title`; no schema has a field of digits. */
function placeOf(parts: readonly string[]): string {
  return parts.join('.').replace(/\.(\d+)(?=\.|$)/g, '[$1]')
}

/** What Fastify refuses by itself, in our words. */
function frameworkRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, statusCode, message, validation, validationContext } = error as FrameworkError
  if (validation !== undefined) {
    const [first] = validation
    const field = placeOf(first.instancePath.split('/').slice(1))
    const place = [validationContext, field].filter((part) => part !== '').join(': ')
    const what = `${place} ${allowedMessage(first) ?? first.message ?? 'is not valid'}`
    return refusal('bad_input', {
      what,
      field: validationContext === 'body' ? bodyField(first) : undefined,
    })
  }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new Refusal('body_too_large', message)
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return refusal('unsupported_media_type', { what: 'Send the body as application/json' })
  }
  if (code === 'FST_ERR_BAD_URL') {
    return refusal('bad_input', { what: 'The path holds a percent sign that starts no UTF-8 text' })
  }
  if (statusCode === undefined || statusCode < 400 || statusCode >= 500) return undefined
  if (statusCode === 404) return refusal('not_found', { what: message })
  if (statusCode === 413) return new Refusal('body_too_large', message)
  if (statusCode === 415) return refusal('unsupported_media_type', { what: message })
  return refusal('bad_input', { what: message })
}
