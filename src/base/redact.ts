/** Names whose values are secrets, in URLs, cookies and JSON. */
const secretNames = [
  'access_token',
  'api_key',
  'apikey',
  'authorization',
  'client_secret',
  'code_verifier',
  'cookie',
  'oauthcode',
  'password',
  'refresh_token',
  'secret',
  'secretkey',
  'session',
  'sessionuid',
  'set-cookie',
  'token',
  'x-api-key',
]

const SECRET_SHAPE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Where clients of InfluxDB write user and password as `u` and `p`. */
const INFLUX_PATHS = /\/(?:write|query)$/
const MASK = '[redacted]'
const names = secretNames.join('|')
/** A name may be percent-encoded in part, as in `api%5Fkey`; such names are masked whatever they say. */
const inUrl = new RegExp(`([?&;\\s"]|^)(${names}|code|[\\w.-]*%[\\w.%-]*)=[^&\\s"'\\\\;]+`, 'gi')
const inJson = new RegExp(`"(${names})"\\s*:\\s*"(?:[^"\\\\]|\\\\.)*"`, 'gi')
/** JSON that was itself put into a JSON text: its quotes carry a backslash. */
const inQuotedJson = new RegExp(
  `\\\\"(${names})\\\\"\\s*:\\s*\\\\"(?:[^"\\\\]|\\\\\\\\.)*\\\\"`,
  'gi',
)
/** After Token only what is long and has a digit: plain sentences use that word, too. */
const inHeader = /\b(Bearer|Basic|Token(?=\s+\S{0,64}\d)(?=\s+\S{16}))\s+[A-Za-z0-9._~+/=-]{6,}/gi

/** A text in which the values of all secrets are masked: URL parameters, JSON fields, headers. */
export function redactText(text: string): string {
  return text
    .replace(inJson, `"$1":"${MASK}"`)
    .replace(inQuotedJson, `\\"$1\\":\\"${MASK}\\"`)
    .replace(inUrl, `$1$2=${MASK}`)
    .replace(inHeader, `$1 ${MASK}`)
}

/** A URL in which the values of secret parameters are masked, however their names are written. */
export function redactUrl(url: string): string {
  const queryAt = url.indexOf('?')
  if (queryAt < 0) return url
  const pairs = url.slice(queryAt + 1).split('&')
  const isOfInflux = INFLUX_PATHS.test(url.slice(0, queryAt))
  const masked = pairs.map((pair) => {
    const equalsAt = pair.indexOf('=')
    if (equalsAt < 0) return pair
    const name = pair.slice(0, equalsAt)
    const isSecret =
      isSecretName(decoded(name)) ||
      (isOfInflux && /^[up]$/.test(decoded(name))) ||
      isSecretValue(decoded(name), pair.slice(equalsAt + 1))
    return isSecret ? `${name}=${MASK}` : pair
  })
  return `${url.slice(0, queryAt)}?${masked.join('&')}`
}

function isSecretName(name: string): boolean {
  const lower = name.toLowerCase()
  // `code` is a secret in the URL of an OAuth redirect only: elsewhere it names an error.
  return lower === 'code' || secretNames.includes(lower)
}

/** Keys, sessions, and tokens have the shape of UIDs. People send them under wrong names, such as `key`. */
function isSecretValue(name: string, value: string): boolean {
  return !/uid$|^org$/i.test(name) && SECRET_SHAPE.test(decoded(value).trim())
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch {
    return name
  }
}
