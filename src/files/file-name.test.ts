import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkFileName } from './file-name.ts'

test('checkFileName() takes ordinary names of any script', () => {
  for (const name of ['a', 'a.b.pdf', 'Größe 7.csv', '写真.jpg', '🙂', '50%.txt', 'a'.repeat(255)])
    checkFileName(name)
})

test('checkFileName() refuses paths, control characters, blank and long names', () => {
  const check = (name: string, why: RegExp) =>
    assert.throws(() => checkFileName(name), { code: 'bad_input', message: why })
  check('..', /contains "\.\."/)
  check('a..b', /contains "\.\."/)
  check('a/b', /contains "\/"/)
  check('a\nb', /control character/)
  check('a\u0000', /control character/)
  check('a\u0085', /control character/)
  check('', /blank/)
  check(' ', /blank/)
  check('.', /blank/)
  check('a'.repeat(256), /256 characters and at most 255/)
})
