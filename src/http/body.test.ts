import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { Refusal } from '../base/index.ts'
import { collectBody } from './body.ts'

const LIMIT_BYTES = 100_000

/** Sends a body to a server that collects it, and tells what became of it on both sides. */
async function send(
  body: Buffer,
  contentEncoding: string,
): Promise<{ status: number; read: Buffer | Error }> {
  let read: Buffer | Error = Buffer.alloc(0)
  const server = createServer(async (req, res) => {
    try {
      read = await collectBody(req, { contentEncoding, limitBytes: LIMIT_BYTES })
    } catch (error) {
      read = error as Error
    }
    res.statusCode = read instanceof Refusal ? read.status : 200
    res.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const put = request({ port, host: '127.0.0.1', method: 'PUT' })
    put.end(body)
    const [answer] = (await once(put, 'response')) as [IncomingMessage]
    answer.resume()
    // What was not sent yet fails when the server goes.
    put.on('error', () => {})
    return { status: answer.statusCode ?? 0, read }
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test('collectBody() reads every encoding and counts inflated bytes', async () => {
  const text = Buffer.from('x'.repeat(LIMIT_BYTES))
  for (const [encoding, encode] of [
    ['', (body: Buffer) => body],
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const) {
    const { status, read } = await send(encode(text), encoding)
    assert.equal(status, 200, encoding)
    assert.deepEqual(read, text)
    const over = Buffer.concat([text, Buffer.from('y')])
    assert.equal((await send(encode(over), encoding)).status, 413, encoding)
  }
})

test('collectBody() refuses what does not inflate', async () => {
  const whole = gzipSync(Buffer.alloc(50_000, 'abc'))
  assert.equal((await send(whole.subarray(0, 60), 'gzip')).status, 400)
  assert.equal((await send(Buffer.from('no gzip'), 'gzip')).status, 400)
  assert.equal((await send(whole, 'lzw')).status, 415)
})
