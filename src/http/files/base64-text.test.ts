import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { base64Length, base64Stream, base64Text } from './base64-text.ts'

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

test('base64Stream() closes its source, read to its end, in part or not at all', async () => {
  const open = () => Readable.from([Buffer.from('abc'), Buffer.from('def')])
  const whole = open()
  assert.equal((await base64Stream(whole).toArray()).join(''), 'YWJjZGVm')
  assert.ok(whole.destroyed)
  for (const isBegun of [true, false]) {
    // A loop that ends early also reports its reads here.
    const source = open().on('error', () => {})
    const text = base64Stream(source)
    if (isBegun) await once(text, 'readable')
    const closed = new Promise<void>((resolve) => source.once('close', resolve))
    text.destroy()
    await closed
  }
})

test('base64Stream() fails as its source does', async () => {
  const source = new Readable({ read: () => {} })
  const reading = base64Stream(source).toArray()
  source.destroy(new Error('a block does not check'))
  await assert.rejects(reading, /does not check/)
})
