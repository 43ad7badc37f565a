import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyText } from './body-text.ts'

test('bodyText() reads UTF-8, marks, charsets that are named, and whatever else as well as can be', () => {
  const f = (bytes: Buffer, type: string | undefined, text: string | null) =>
    assert.equal(bodyText(bytes, type), text)
  f(Buffer.alloc(0), 'application/json', null)
  f(Buffer.from('{"t":"22 °C €"}'), undefined, '{"t":"22 °C €"}')
  f(Buffer.from('\ufeffa,b'), 'text/csv', 'a,b')
  f(Buffer.from('22 °C', 'latin1'), 'text/plain; charset=ISO-8859-1', '22 °C')
  f(Buffer.from('22 °C', 'latin1'), 'text/plain;Charset="latin1"; x=1', '22 °C')
  f(Buffer.from([0x80]), 'text/plain; charset=windows-1252', '€')
  f(Buffer.from('\ufeff22 °C', 'utf16le'), 'text/plain; charset=utf-8', '22 °C')
  f(Buffer.from('é'), 'text/plain; charset=klingon', 'é')
  f(Buffer.from([0x61, 0xff, 0x62]), 'text/plain', 'a\ufffdb')
})
