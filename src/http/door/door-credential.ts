import type { AdmissionCall, Credential } from '../../auth/index.ts'
import { readLoosePairs } from '../../base/index.ts'
import { isShapedLikeSecret, readBearer, readTokenOrBasic } from '../admit/authorization-header.ts'
import type { Exchange, RequestHead } from '../transport/exchange.ts'
import { queryOf } from '../transport/target.ts'

/** What a call of a foreign protocol says of its caller. Kept with a head that many requests share. */
export function readDoorCall(
  { req }: Exchange,
  places: { readonly hasUserAndPassword: boolean },
): Pick<AdmissionCall, 'credential' | 'org' | 'forwardedFor'> {
  const kept = req.kept?.sent
  if (kept !== undefined) return kept
  const credential = readDoorCredential(req, places)
  const sent = { credential, org: undefined, forwardedFor: undefined }
  if (req.kept !== undefined) req.kept.sent = sent
  return sent
}

/**
 * The credential of a call of a foreign protocol: `api_key` in the URL, the header Authorization (Bearer, Token,
 * Basic), X-Api-Key, and where the protocol has them `u` and `p` in the URL. Cookies and sessions do not count.
 */
function readDoorCredential(
  { url = '', headers }: Pick<RequestHead, 'url' | 'headers'>,
  { hasUserAndPassword }: { readonly hasUserAndPassword: boolean },
): Credential | undefined {
  const query = queryOf(url)
  const pairs = query === '' ? [] : readLoosePairs(query)
  const readValue = (name: string) =>
    pairs.find(([one, value]) => one === name && value !== '')?.[1]
  const inUrl = readValue('api_key')
  if (inUrl !== undefined) return { kind: 'api_key', value: inUrl, place: 'url' }
  const { authorization, 'x-api-key': apiKey } = headers
  const bearer = authorization === undefined ? undefined : readBearer(authorization)
  if (bearer !== undefined) return { kind: 'bearer', value: bearer, place: 'header' }
  const written = authorization === undefined ? undefined : readTokenOrBasic(authorization)
  if (written !== undefined) return { kind: 'api_key', ...written }
  if (apiKey !== undefined && apiKey !== '') {
    return { kind: 'api_key', value: String(apiKey), place: 'header' }
  }
  if (!hasUserAndPassword) return undefined
  const given = readValue('p') ?? readValue('u') ?? ''
  return isShapedLikeSecret(given) ? { kind: 'api_key', value: given, place: 'url' } : undefined
}
