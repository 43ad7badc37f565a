import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { FeedBodyReader } from './feed-body-reader.ts'

const LIMIT_BYTES = 1_000

/** A request whose body the test writes piece by piece. */
function request(headers: Record<string, string>) {
  const stream = new PassThrough()
  const message = Object.assign(stream, { headers, complete: false })
  stream.on('end', () => {
    message.complete = true
  })
  return { stream, message: message as unknown as IncomingMessage }
}

const sized = (bytes: number) => ({ 'content-length': String(bytes) })

test('read() hands over an empty body when the request brings none', async () => {
  const reader = new FeedBodyReader(LIMIT_BYTES)
  for (const headers of [{}, sized(0)] as Record<string, string>[]) {
    assert.equal(await reader.read(request(headers).message, async (body) => body.length), 0)
  }
})

test('read() joins the pieces of a body, plain or compressed', async () => {
  const reader = new FeedBodyReader(LIMIT_BYTES)
  const plain = request(sized(6))
  const read = reader.read(plain.message, async (body) => body.toString())
  plain.stream.write('abc')
  plain.stream.end('def')
  assert.equal(await read, 'abcdef')
  const packed = request({ 'transfer-encoding': 'chunked', 'content-encoding': 'gzip' })
  packed.stream.end(gzipSync('abcdef'))
  assert.equal(await reader.read(packed.message, async (body) => body.toString()), 'abcdef')
})

test('read() refuses a body over the limit: by its length, while it comes, while it inflates', async () => {
  const reader = new FeedBodyReader(LIMIT_BYTES)
  const use = async () => assert.fail('the body was used')
  const refused = { code: 'body_too_large', status: 413 }
  await assert.rejects(reader.read(request(sized(1_001)).message, use), refused)
  const chunked = request({ 'transfer-encoding': 'chunked' })
  const reading = reader.read(chunked.message, use)
  chunked.stream.write(Buffer.alloc(600))
  chunked.stream.write(Buffer.alloc(600))
  await assert.rejects(reading, refused)
  const bomb = request({ ...sized(100), 'content-encoding': 'gzip' })
  bomb.stream.end(gzipSync(Buffer.alloc(100_000)))
  await assert.rejects(reader.read(bomb.message, use), refused)
})

test('read() asks to come again while too much is held, and takes bodies again afterwards', async () => {
  const reader = new FeedBodyReader(LIMIT_BYTES)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const send = (use: () => Promise<void>) => {
    const { stream, message } = request(sized(1_000))
    stream.end(Buffer.alloc(1_000))
    return reader.read(message, use)
  }
  const held = [1, 2, 3].map(() => send(() => released))
  await assert.rejects(
    send(async () => {}),
    { code: 'overloaded', status: 503, retryAfterSeconds: 5 },
  )
  release()
  await Promise.all(held)
  await send(async () => {})
})

test('read() refuses a body that breaks off', async () => {
  const reader = new FeedBodyReader(LIMIT_BYTES)
  const { stream, message } = request(sized(10))
  const reading = reader.read(message, async () => assert.fail('the body was used'))
  stream.write('abc')
  stream.destroy()
  await assert.rejects(reading, { code: 'bad_input' })
})
