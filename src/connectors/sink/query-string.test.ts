import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeQuery, maskInMessage, maskKey, maskSecret } from './query-string.ts'

test('decodeQuery() decodes escapes and plus signs, and keeps what is no escape', () => {
  const f = (raw: string, decoded: string) => assert.equal(decodeQuery(raw), decoded, raw)
  f('', '')
  f('a=1&b=2', 'a=1&b=2')
  f('a=x+y%2Bz', 'a=x y+z')
  f('t=%E2%82%AC%20&u=%C3%A4', 't=€ &u=ä')
  f('a=100%&b=%zz%4', 'a=100%&b=%zz%4')
  f('a=%E2%28&b=%20', 'a=%E2(&b= ')
  f('a=%C3%A9%FF%C3%A9', 'a=é%FFé')
  f('a=%ED%A0%80%f0%9f%9a%80', 'a=%ED%A0%80🚀')
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
  f('API_KEY=secret', 'API_KEY=***')
  f('my_api_key=1&api_key', 'my_api_key=1&api_key')
})

test('maskSecret() and maskInMessage() mask the key itself, wherever it stands', () => {
  assert.equal(maskSecret('k=K-1&x=api_key=K-1', 'K-1'), 'k=***&x=api_key=***')
  assert.equal(maskSecret('a=%C3%A9+%20', 'é+ '), 'a=%C3%A9+%20')
  assert.equal(maskSecret('a=%C3%A9%2B%20', 'é+ '), 'a=***')
  assert.equal(maskSecret('nothing', ''), 'nothing')
  const key = '0f0e0d0c-1111-4222-8333-444455556666'
  assert.equal(maskInMessage(`got "k=${key}"`, key), 'got "k=***"')
  assert.equal(maskInMessage('got "k=0f0e0d0c-1111…', key), 'got "k=***…')
  assert.equal(maskInMessage('…444455556666"', key), '…***"')
  assert.equal(maskInMessage('line 1111', key), 'line 1111')
})
