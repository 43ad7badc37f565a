import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { afterBody } from './linger.ts'

test('the rest of a refused body is read away, and its memory given back', async () => {
  const body = new PassThrough()
  const pieces = Array.from({ length: 5 }, () => Buffer.allocUnsafeSlow(100_000))
  for (const piece of pieces) body.write(piece)
  const over = new Promise<void>((resolve) => {
    afterBody(body as unknown as IncomingMessage, resolve)
  })
  body.end()
  await over
  assert.deepEqual(
    pieces.map(({ buffer }) => buffer.byteLength),
    [0, 0, 0, 0, 0],
  )
})
