/** The query of a sink's call as SQL sees it, and as it is kept. */

const ESCAPES = /(?:%[0-9a-fA-F]{2})+/g

/** The escapes of one character in UTF-8, as far as their first digits tell. */
const CHARACTER =
  /%[0-7][0-9a-f]|%[cd][0-9a-f]%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-7](?:%[89ab][0-9a-f]){3}/gi

/** What stands in the place of a key. */
const MASK = '***'

/** Messages quote texts cut short: so much of a key's beginning or end is masked as the whole is. */
const PART_MIN = 6

/** Everything after the question mark, decoded; plus is a space, and what cannot be decoded stays as it is. */
export function decodeQuery(raw: string): string {
  const spaced = raw.includes('+') ? raw.replaceAll('+', ' ') : raw
  return spaced.includes('%') ? spaced.replace(ESCAPES, decodeRun) : spaced
}

function decodeRun(run: string): string {
  try {
    return decodeURIComponent(run)
  } catch {
    return run.replace(CHARACTER, decodeCharacter)
  }
}

function decodeCharacter(escapes: string): string {
  try {
    return decodeURIComponent(escapes)
  } catch {
    return escapes
  }
}

/** The raw query with the value of api_key masked, however its name is written. */
export function maskKey(raw: string): string {
  // Most queries hold the key alone, or nothing.
  if (!raw.includes('=')) return raw
  return raw
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=')
      const isKey = equals >= 0 && decodeQuery(pair.slice(0, equals)).toLowerCase() === 'api_key'
      return isKey ? `${pair.slice(0, equals)}=${MASK}` : pair
    })
    .join('&')
}

/** A text with the key masked wherever it stands, percent-encoded too. */
export function maskSecret(text: string, secret: string): string {
  if (secret === '') return text
  const encoded = encodeURIComponent(secret)
  const masked = text.includes(secret) ? text.replaceAll(secret, MASK) : text
  return encoded === secret ? masked : masked.replaceAll(encoded, MASK)
}

/** As `maskSecret` for a message, which may quote a part of the key. */
export function maskInMessage(message: string, secret: string): string {
  let masked = maskSecret(message, secret)
  for (let length = secret.length - 1; length >= PART_MIN; length -= 1) {
    masked = masked.replaceAll(secret.slice(0, length), MASK)
    masked = masked.replaceAll(secret.slice(-length), MASK)
  }
  return masked
}
