import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { base64Length, base64Text } from './base64-text.ts'

test('base64Text() equals the base64 of the whole, however the stream is cut', async () => {
  const property = fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 9 })), async (chunks) => {
    async function* source(): AsyncGenerator<Uint8Array> {
      yield* chunks
    }
    const whole = Buffer.concat(chunks)
    const text = (await Array.fromAsync(base64Text(source()))).join('')
    assert.equal(text, whole.toString('base64'))
    assert.equal(text.length, base64Length(whole.length))
  })
  await fc.assert(property)
})
