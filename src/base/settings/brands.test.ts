import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBrands } from './brands.ts'

test('readBrands() reads names and logos by host name', () => {
  const text =
    '{"Energy.example":{"name":"Acme","logo":"https://a.example/l.svg"},"b":{"name":"B"}}'
  assert.deepEqual(
    [...readBrands(text)],
    [
      ['energy.example', { name: 'Acme', logo: 'https://a.example/l.svg' }],
      ['b', { name: 'B', logo: '' }],
    ],
  )
})

test('readBrands() says what is wrong', () => {
  const check = (text: string, expected: RegExp) => assert.throws(() => readBrands(text), expected)
  check('{', /must be a JSON object/)
  check('[]', /must be a JSON object/)
  check('{"a:80":{"name":"x"}}', /without a port/)
  check('{"a":null}', /a name of 1 to 100/)
  check('{"a":{"name":" "}}', /a name of 1 to 100/)
  check('{"a":{"name":"x","logo":"javascript:1"}}', /a logo that is/)
})
