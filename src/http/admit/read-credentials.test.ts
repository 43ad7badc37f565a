import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCredentials } from './read-credentials.ts'

function read(url: string, cookie?: string, authorization?: string): string {
  const { credential, org } = readCredentials({ url, cookie, authorization })
  const { kind, value, place } = credential ?? {}
  const found = credential === undefined ? 'none' : `${kind} ${value} ${place}`
  return org === undefined ? found : `${found} in ${org}`
}

test('readCredentials() finds what the URL holds, however it is written', () => {
  assert.equal(read('/api/feed'), 'none')
  assert.equal(read('/api/feed?'), 'none')
  assert.equal(read('/x?api_key=K'), 'api_key K url')
  assert.equal(read('/x?&a=1&api_key=K&b=2'), 'api_key K url')
  assert.equal(read('/x?api_key=K&api_key=L'), 'api_key K url')
  assert.equal(read('/x?%61pi_key=a%2Bb'), 'api_key a+b url')
  assert.equal(read('/x?api_key=&session=S'), 'session S url')
  assert.equal(read('/x?my_api_key=K&api_keys=L&Api_Key=M'), 'none')
  assert.equal(read('/x?api_key=%zz'), 'api_key %zz url')
  assert.equal(read('/x?api_key&org=O'), 'none in O')
  assert.equal(read('/api_key=K?x=1'), 'none')
})

test('readCredentials() reads cookies with and without spaces', () => {
  assert.equal(read('/x', 'org=O;api_key=K'), 'api_key K cookie in O')
  assert.equal(read('/x', ' org = O ; session="S" ;x'), 'session S cookie in O')
  assert.equal(read('/x', 'api_key=K%20L'), 'api_key K L cookie')
})

test('readCredentials() prefers the URL and the header over cookies, sessions over keys', () => {
  assert.equal(read('/x?api_key=K', 'session=S;api_key=L'), 'api_key K url')
  assert.equal(read('/x?api_key=K&session=S'), 'session S url')
  assert.equal(read('/x', 'session=S', 'Bearer T'), 'bearer T header')
  assert.equal(read('/x?api_key=K', undefined, 'bearer T'), 'bearer T header')
  assert.equal(read('/x?session=S', undefined, 'Bearer T'), 'session S url')
  assert.equal(read('/x', 'api_key=K', 'Basic T'), 'api_key K cookie')
  assert.equal(read('/x?org=A', 'org=B'), 'none in A')
})

test('readCredentials() takes a key from X-Api-Key when there is nothing else', () => {
  const chosen = (url: string, cookie?: string, authorization?: string) => {
    const { credential } = readCredentials({ url, cookie, authorization, apiKey: 'H' })
    return `${credential?.kind} ${credential?.value} ${credential?.place}`
  }
  assert.equal(chosen('/x'), 'api_key H header')
  assert.equal(chosen('/x?org=O', 'org=P;other=1'), 'api_key H header')
  assert.equal(chosen('/x', undefined, 'Basic T'), 'api_key H header')
  assert.equal(chosen('/x?api_key=K'), 'api_key K url')
  assert.equal(chosen('/x', 'api_key=K'), 'api_key K cookie')
  assert.equal(chosen('/x', 'session=S'), 'session S cookie')
  assert.equal(chosen('/x', undefined, 'Bearer T'), 'bearer T header')
})

test('readCredentials() decides what beats a bearer that is an API key', () => {
  const beside = (url: string, cookie?: string) => {
    const { credential } = readCredentials({ url, cookie, authorization: 'Bearer T', apiKey: 'H' })
    return credential?.beforeKey?.value
  }
  assert.equal(beside('/x'), undefined)
  assert.equal(beside('/x?api_key=K', 'session=S'), 'K')
  assert.equal(beside('/x', 'session=S;api_key=K'), 'S')
})

test('readCredentials() walks a URL once, however many parameters without a value it has', (t) => {
  let walked = 0
  const { indexOf, charCodeAt } = String.prototype
  t.mock.method(String.prototype, 'indexOf', function (this: string, what: string, from = 0) {
    const at = indexOf.call(this, what, from)
    walked += (at < 0 ? this.length : at) - from
    return at
  })
  t.mock.method(String.prototype, 'charCodeAt', function (this: string, at: number) {
    walked += 1
    return charCodeAt.call(this, at)
  })
  for (const pair of ['&a', '&s', '&o', '&%61', '&', '&a=', '&api_key']) {
    walked = 0
    const url = `/api/feed?${pair.repeat(1_000)}`
    assert.equal(
      readCredentials({ url, cookie: undefined, authorization: undefined }).credential,
      undefined,
    )
    assert.ok(walked <= 4 * url.length, `${pair}: ${walked} steps for ${url.length} characters`)
  }
})
