import { refuseOAuth } from './oauth-error.ts'
import { PARAMETER_LENGTH_MAX } from './oauth-settings.ts'

/** Request parameters, each given once and not empty. */
export type OAuthParams = ReadonlyMap<string, string>

/** Where an endpoint finds its parameters: the URL's query, and a body as text. */
export interface ParamSource {
  /** The part of the URL after the question mark. */
  readonly query: string
  readonly contentType: string
  readonly body: string
}

/**
 * Reads the parameters named in `known` from the URL and the body together. A parameter without a
 * value counts as omitted and unknown ones are ignored (RFC 6749, 3.1 and 3.2); one that is given
 * twice, in whichever places, is refused.
 */
export function readParams(source: ParamSource, known: readonly string[]): OAuthParams {
  const params = new Map<string, string>()
  for (const [name, value] of [...new URLSearchParams(source.query), ...bodyEntries(source)]) {
    if (value === '' || !known.includes(name)) continue
    if (typeof value !== 'string') refuseOAuth('invalid_request', `${name} must be one string`)
    if (params.has(name)) refuseOAuth('invalid_request', `${name} is given more than once`)
    if (value.length > PARAMETER_LENGTH_MAX) {
      refuseOAuth('invalid_request', `${name} has more than ${PARAMETER_LENGTH_MAX} characters`)
    }
    params.set(name, value)
  }
  return params
}

/** The value of a mandatory parameter. */
export function requireParam(params: OAuthParams, name: string): string {
  return params.get(name) ?? refuseOAuth('invalid_request', `${name} is missing`)
}

function bodyEntries({ contentType, body }: ParamSource): Array<[string, unknown]> {
  const text = body.trim()
  if (text === '') return []
  const type = contentType.split(';')[0].trim().toLowerCase()
  const isForm = type === 'application/x-www-form-urlencoded'
  // Programs that set no content type, or a wrong one, still begin a JSON object with a brace.
  if (type.endsWith('json') || (!isForm && text.startsWith('{'))) return jsonEntries(text)
  if (isForm || type === '' || type === 'text/plain') return [...new URLSearchParams(text)]
  refuseOAuth(
    'invalid_request',
    'The content type must be application/x-www-form-urlencoded or application/json',
  )
}

/** The fields of a JSON body; one that is null counts as omitted. */
function jsonEntries(text: string): Array<[string, unknown]> {
  const parsed = parseJson(text)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    refuseOAuth('invalid_request', 'The body must be one JSON object')
  }
  return Object.entries(parsed).filter(([, value]) => value !== null)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    refuseOAuth('invalid_request', 'The body is not JSON')
  }
}
