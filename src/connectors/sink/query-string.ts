/** The query of a sink's call as SQL sees it, and as it is kept. */

const ESCAPES = /(?:%[0-9a-fA-F]{2})+/g

/** What stands in the place of a key. */
const MASK = '***'

/** Everything after the question mark, decoded; plus is a space, and what cannot be decoded stays as it is. */
export function decodeQuery(raw: string): string {
  const spaced = raw.includes('+') ? raw.replaceAll('+', ' ') : raw
  return spaced.includes('%') ? spaced.replace(ESCAPES, decodeRun) : spaced
}

function decodeRun(run: string): string {
  try {
    return decodeURIComponent(run)
  } catch {
    return run
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
      const isKey = equals >= 0 && decodeQuery(pair.slice(0, equals)) === 'api_key'
      return isKey ? `${pair.slice(0, equals)}=${MASK}` : pair
    })
    .join('&')
}
