import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  namesEtag,
  readContentType,
  readDisposition,
  readRange,
  safetyHeaders,
} from './file-headers.ts'

test('readContentType() keeps a type with its parameters, and nothing that is none', () => {
  for (const type of ['text/html; charset=utf-8', 'image/svg+xml', 'text/plain;a="b c"'])
    assert.equal(readContentType(` ${type} `), type)
  for (const bad of [
    undefined,
    '',
    'text',
    'a/b\r\nX: y',
    'text/html, a/b',
    'tëxt/x',
    `a/${'b'.repeat(300)}`,
  ])
    assert.equal(readContentType(bad), 'application/octet-stream')
})

test('safetyHeaders() sandboxes whatever is not known to be passive', () => {
  const isSandboxed = (type: string) =>
    safetyHeaders(type)['content-security-policy']?.startsWith('sandbox;') ?? false
  for (const type of ['text/html', 'TEXT/HTML; charset=x', 'image/svg+xml', 'application/xml'])
    assert.equal(isSandboxed(type), true, type)
  for (const type of ['text/javascript', 'application/xhtml+xml', 'text/xml', 'x/unheard-of'])
    assert.equal(isSandboxed(type), true, type)
  for (const type of ['image/png', 'application/pdf', 'text/plain; charset=utf-8', 'video/mp4']) {
    assert.equal(isSandboxed(type), false, type)
    assert.equal(safetyHeaders(type)['x-content-type-options'], 'nosniff')
  }
})

test('readDisposition() lets the parameter beat the header and refuses other words', () => {
  assert.equal(readDisposition(undefined, undefined), 'inline')
  assert.equal(readDisposition(undefined, 'attachment'), 'attachment')
  assert.equal(readDisposition('inline', 'attachment'), 'inline')
  assert.equal(readDisposition('attachment', 'nonsense'), 'attachment')
  for (const bad of ['', 'INLINE', 'attachment; filename=x', ['inline', 'inline']])
    assert.throws(() => readDisposition(bad, undefined), { code: 'bad_input' })
  assert.throws(() => readDisposition(undefined, 'form-data'), { message: /header/ })
})

test('readDisposition() takes the first word of the header, whatever parameters follow', () => {
  for (const header of [
    'attachment; filename="x"',
    'attachment;filename=x',
    'attachment ; x',
    'attachment x',
  ])
    assert.equal(readDisposition(undefined, header), 'attachment', header)
  assert.equal(readDisposition(undefined, 'inline; filename=attachment'), 'inline')
  for (const header of ['', '; attachment', 'attachments; x', 'form-data; attachment'])
    assert.throws(() => readDisposition(undefined, header), { message: /header/ }, header)
})

test('namesEtag() finds a tag in a list, weak or strong, and takes the star', () => {
  assert.equal(namesEtag('"a", W/"b"', '"b"'), true)
  assert.equal(namesEtag('*', '"b"'), true)
  assert.equal(namesEtag('"a"', '"b"'), false)
  assert.equal(namesEtag(undefined, '"b"'), false)
})

test('readRange() reads one range of bytes as RFC 9110 says', () => {
  const check = (header: string | undefined, expected: unknown, bytes = 100) =>
    assert.deepEqual(readRange(header, bytes), expected, `for ${header}`)
  check('bytes=0-0', { start: 0, end: 1 })
  check('bytes=10-19', { start: 10, end: 20 })
  check('bytes=90-', { start: 90, end: 100 })
  check('bytes=90-1000', { start: 90, end: 100 })
  check('bytes=-10', { start: 90, end: 100 })
  check('bytes=-1000', { start: 0, end: 100 })
  check('bytes=100-', 'unsatisfiable')
  check('bytes=-0', 'unsatisfiable')
  check('bytes=0-', 'unsatisfiable', 0)
  for (const ignored of [undefined, 'bytes=5-4', 'bytes=-', 'lines=1-2', 'bytes=0-1,5-6', 'x'])
    check(ignored, undefined)
  check('bytes= 10 - 19 ', { start: 10, end: 20 })
  const blanks = ' '.repeat(200_000)
  check(`bytes=${blanks}x`, undefined)
  check(`bytes=1${blanks}-${blanks}x`, undefined)
})
