import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreUnusable } from '../../ports/store-unusable.ts'
import { urlsOfHosts } from './postgres-url.ts'

test('urlsOfHosts() makes a URL for each host', () => {
  const check = (url: string, expected: readonly string[]) =>
    assert.deepEqual(urlsOfHosts(url), expected)
  check('postgres://db/weir', ['postgres://db/weir'])
  check('postgresql://u:p@a,b:5433,[::1]:1/d?sslmode=require', [
    'postgresql://u:p@a/d?sslmode=require',
    'postgresql://u:p@b:5433/d?sslmode=require',
    'postgresql://u:p@[::1]:1/d?sslmode=require',
  ])
  check('postgres://a,b/d?target_session_attrs=read-write', ['postgres://a/d', 'postgres://b/d'])
  check('postgres://a/d?target_session_attrs=any&sslmode=disable', [
    'postgres://a/d?sslmode=disable',
  ])
})

test('urlsOfHosts() refuses other texts, and repeats no password', () => {
  const wrong = [
    '',
    'db',
    'http://u:secret@h/d',
    'postgres://h',
    'postgres://h/',
    'postgres://u:secret@/d',
  ]
  const misspelt = [
    'postgres://u:secret@a/d?sslmode=verify-ful',
    'postgres://u:secret@a/d?ssl_mode=require',
  ]
  const odd = ['postgres://u:secret@a,,b/d', 'postgres://u:secret@a:x/d', ...misspelt]
  for (const url of [...wrong, ...odd]) {
    assert.throws(
      () => urlsOfHosts(url),
      (error) => error instanceof StoreUnusable && !error.message.includes('secret'),
      url,
    )
  }
})
