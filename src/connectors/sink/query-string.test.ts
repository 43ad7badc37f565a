import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeQuery, maskKey } from './query-string.ts'

test('decodeQuery() decodes escapes and plus signs, and keeps what is no escape', () => {
  const f = (raw: string, decoded: string) => assert.equal(decodeQuery(raw), decoded, raw)
  f('', '')
  f('a=1&b=2', 'a=1&b=2')
  f('a=x+y%2Bz', 'a=x y+z')
  f('t=%E2%82%AC%20&u=%C3%A4', 't=€ &u=ä')
  f('a=100%&b=%zz%4', 'a=100%&b=%zz%4')
  f('a=%E2%28&b=%20', 'a=%E2%28&b= ')
  f('a=%26b%3D1', 'a=&b=1')
  f('&a=%00', '&a=\u0000')
})

test('maskKey() masks the key and nothing else', () => {
  const f = (raw: string, masked: string) => assert.equal(maskKey(raw), masked, raw)
  f('', '')
  f('a=1&code=7&token=x', 'a=1&code=7&token=x')
  f('api_key=secret', 'api_key=***')
  f('a=1&api_key=se%20cret&b=2&api_key=again', 'a=1&api_key=***&b=2&api_key=***')
  f('api%5Fkey=secret&a', 'api%5Fkey=***&a')
  f('my_api_key=1&api_key', 'my_api_key=1&api_key')
})
