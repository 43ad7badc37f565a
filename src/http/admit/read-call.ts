/** What a request says of its caller, at the places of the API proper and at those of sinks. */
import type { AdmissionCall, Credential } from '../../auth/index.ts'
import type { Exchange } from '../transport/exchange.ts'
import { normalizeForwarded } from '../transport/peer-address.ts'
import { readBasic, readBearer } from './authorization-header.ts'
import { readCredentials, readPlainKey } from './read-credentials.ts'

type Sent = Pick<AdmissionCall, 'credential' | 'org' | 'forwardedFor'>

/** At all places of the API. Kept with a head that many requests share. */
export function readCallCredentials({ req }: Exchange): Sent {
  const kept = req.kept?.sent
  if (kept !== undefined) return kept
  const { credential, org } = readCredentials(sourceOf(req))
  const forwarded = req.headers['x-forwarded-for']
  const forwardedFor = forwarded === undefined ? undefined : normalizeForwarded(String(forwarded))
  const sent = { credential, org, forwardedFor }
  if (req.kept !== undefined) req.kept.sent = sent
  return sent
}

/** At the places of a sink. */
export function readSinkCredentials({ req }: Exchange): Sent {
  return { credential: readSinkCredential(sourceOf(req)), org: undefined, forwardedFor: undefined }
}

/**
 * The API key of a sink call: in the query, a cookie, Basic authorization, X-Api-Key, or Bearer.
 * The first of these places that is filled counts alone, right or wrong. Sessions and access tokens
 * are not accepted.
 */
function readSinkCredential(source: ReturnType<typeof sourceOf>): Credential | undefined {
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

function sourceOf({ url = '', headers, headersDistinct }: Exchange['req']) {
  const key = headers['x-api-key']
  return {
    url,
    cookie: headers.cookie,
    // Node keeps the first of several Authorization headers. A request with two is rejected.
    authorization: headers.authorization && headersDistinct.authorization?.join(', '),
    apiKey: key === undefined ? undefined : String(key),
  }
}
