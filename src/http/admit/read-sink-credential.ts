import type { Credential } from '../../auth/index.ts'
import { readBasic, readBearer } from './authorization-header.ts'
import { readPlainKey } from './read-credentials.ts'

/** The parts of a call of a sink that can carry its key. */
interface SinkCredentialSource {
  readonly url: string
  readonly cookie: string | undefined
  readonly authorization: string | undefined
  /** The header X-Api-Key. */
  readonly apiKey: string | undefined
}

/**
 * The API key of a call of a sink: in the query, a cookie, Basic authorization, X-Api-Key, or Bearer.
 * The first of these places that is filled counts alone, right or wrong. Sessions and access tokens
 * are not accepted.
 */
export function readSinkCredential(source: SinkCredentialSource): Credential | undefined {
  const { url, cookie, authorization = '', apiKey } = source
  const given = readPlainKey(url, cookie)
  if (given !== undefined) return given
  const basic = readBasic(authorization)
  if (basic !== undefined && (basic.user !== '' || basic.password !== '')) {
    // With both parts filled it holds no key, and still fills its place.
    if (basic.user !== '' && basic.password !== '') return undefined
    return { kind: 'api_key', value: basic.user || basic.password, place: 'basic' }
  }
  const value = apiKey || readBearer(authorization)
  return value === undefined ? undefined : { kind: 'api_key', value, place: 'header' }
}
