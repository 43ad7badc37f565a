/**
 * Finds the credentials of an HTTP request. What is written in the URL or the Authorization header beats
 * what a cookie carries along; in the same place a session beats an api_key. An API key in a header
 * counts when there is nothing else: X-Api-Key first, then `Authorization: Token`, then Basic.
 */

import type { Credential, Credentials } from '../../auth/index.ts'
import { refuse } from '../../base/index.ts'
import { isShapedLikeSecret, readBearer, readTokenOrBasic } from './authorization-header.ts'

/** The parts of a request that can carry a credential. */
interface CredentialSource {
  readonly url: string
  readonly cookie: string | undefined
  readonly authorization: string | undefined
  /** The header X-Api-Key. */
  readonly apiKey?: string
}

interface Found {
  access_token?: string
  session?: string
  api_key?: string
  org?: string
}

/** Reads all places and applies their precedence. */
export function readCredentials(source: CredentialSource): Credentials {
  const url = scanQuery(source.url)
  const cookie = source.cookie === undefined ? undefined : scanCookie(source.cookie)
  return { credential: choose(url, cookie, source), org: url.org ?? cookie?.org }
}

/** The API key in the query, else in a cookie, whatever else is there. */
export function readPlainKey(url: string, cookie: string | undefined): Credential | undefined {
  const inUrl = scanQuery(url).api_key
  if (inUrl !== undefined) return { kind: 'api_key', value: inUrl, place: 'url' }
  const inCookie = cookie === undefined ? undefined : scanCookie(cookie).api_key
  if (inCookie === undefined) return undefined
  return { kind: 'api_key', value: inCookie, place: 'cookie' }
}

function choose(
  url: Found,
  cookie: Found | undefined,
  source: CredentialSource,
): Credential | undefined {
  if (url.session !== undefined) return { kind: 'session', value: url.session, place: 'url' }
  const { authorization, apiKey } = source
  if (authorization === undefined) return chooseKey(url, cookie, apiKey)
  const bearer = readBearer(authorization)
  if (bearer === undefined) {
    const chosen = chooseKey(url, cookie, apiKey)
    if (chosen !== undefined) return chosen
    const last = readTokenOrBasic(authorization)
    return last === undefined ? undefined : { kind: 'api_key', ...last }
  }
  checkGivenOnce(url.access_token)
  const beforeKey = chooseKey(url, cookie, undefined)
  return { kind: 'bearer', value: bearer, place: 'header', beforeKey }
}

/** What counts beside a session in the URL and an access token in the header. */
function chooseKey(
  url: Found,
  cookie: Found | undefined,
  header: string | undefined,
): Credential | undefined {
  if (url.api_key !== undefined) return { kind: 'api_key', value: url.api_key, place: 'url' }
  if (cookie?.session !== undefined) {
    return { kind: 'session', value: cookie.session, place: 'cookie' }
  }
  if (cookie?.api_key !== undefined) {
    return { kind: 'api_key', value: cookie.api_key, place: 'cookie' }
  }
  return header ? { kind: 'api_key', value: header, place: 'header' } : undefined
}

/**
 * RFC 6750 refuses a token that comes in two ways. A parameter access_token is no credential here
 * and may be the ID of a stream, so it counts only when its value has the shape of a token.
 */
function checkGivenOnce(inUrl: string | undefined): void {
  if (isShapedLikeSecret(inUrl ?? '')) refuse('bearer_repeated', {})
}

/** A query of a put may hold megabytes of values, so it is scanned in place and not taken apart. */
function scanQuery(url: string): Found {
  const found: Found = {}
  let at = url.indexOf('?') + 1
  if (at === 0) return found
  while (at < url.length) {
    const end = url.indexOf('&', at)
    const until = end < 0 ? url.length : end
    const first = url.charCodeAt(at)
    // Only names that begin with a, s, o or an escape can be one of ours.
    if (first === 0x61 || first === 0x73 || first === 0x6f || first === 0x25) {
      const equalsAt = equalsWithin(url, at, until)
      if (equalsAt < until) {
        keep(found, decoded(url.slice(at, equalsAt)), decoded(url.slice(equalsAt + 1, until)))
      }
    }
    at = until + 1
  }
  return found
}

/**
 * Where the name of a pair ends, or `until` where it has no value. A search to the end of the text
 * would walk all that follows once for every pair without a value.
 */
function equalsWithin(url: string, from: number, until: number): number {
  let at = from
  while (at < until && url.charCodeAt(at) !== 0x3d) at += 1
  return at
}

function scanCookie(header: string): Found {
  const found: Found = {}
  for (const pair of header.split(';')) {
    const equalsAt = pair.indexOf('=')
    if (equalsAt < 0) continue
    const value = pair
      .slice(equalsAt + 1)
      .trim()
      .replace(/^"(.*)"$/, '$1')
    keep(found, pair.slice(0, equalsAt).trim(), decoded(value))
  }
  return found
}

/** The first of several counts; a blank one says nothing. */
function keep(found: Found, name: string, value: string): void {
  if (value === '') return
  if (name === 'api_key') found.api_key ??= value
  else if (name === 'access_token') found.access_token ??= value
  else if (name === 'session') found.session ??= value
  else if (name === 'org') found.org ??= value
}

function decoded(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
