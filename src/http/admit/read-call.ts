/** What a request says of its caller, at the places of the API proper and at those of sinks. */
import type { AdmissionCall } from '../../auth/index.ts'
import type { Exchange } from '../transport/exchange.ts'
import { normalizeForwarded } from '../transport/peer-address.ts'
import { readCredentials } from './read-credentials.ts'
import { readSinkCredential } from './read-sink-credential.ts'

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
