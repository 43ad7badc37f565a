import type { Credential } from '../../auth/index.ts'
import { readPlainKey } from './read-credentials.ts'

/** The parts of a call of a sink that can carry its key. */
interface SinkCredentialSource {
  readonly url: string
  readonly cookie: string | undefined
  readonly authorization: string | undefined
}

/**
 * The API key of a call of a sink: in the query, else in a cookie, else as Basic authorization with the other part
 * blank. Whichever comes first counts alone, right or wrong; sessions and access tokens count for nothing.
 */
export function readSinkCredential(source: SinkCredentialSource): Credential | undefined {
  const { url, cookie, authorization } = source
  const given = readPlainKey(url, cookie)
  if (given !== undefined || authorization === undefined) return given
  const value = readBasicKey(authorization)
  return value === undefined ? undefined : { kind: 'api_key', value, place: 'header' }
}

/** The key in `Basic <base64>` of `K:`, `:K` or `K`; undefined for anything else. */
function readBasicKey(authorization: string): string | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/_=-]+) *$/i.exec(authorization)?.[1]
  if (encoded === undefined) return undefined
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  if (colon < 0) return decoded || undefined
  const [name, password] = [decoded.slice(0, colon), decoded.slice(colon + 1)]
  return name !== '' && password !== '' ? undefined : name || password || undefined
}
