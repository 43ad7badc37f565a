import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { test } from 'node:test'
import {
  brotliCompressSync,
  constants,
  createZstdCompress,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { Refusal } from '../../base/index.ts'
import { collectBody } from './body.ts'

const LIMIT_BYTES = 100_000
/** The best that Brotli can takes seconds. */
const QUICKLY = { [constants.BROTLI_PARAM_QUALITY]: 5 }

/** Sends a body to a server that collects it, and returns the outcome on both sides. */
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
    ['deflate', deflateRawSync],
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

test('collectBody() reads deflate with and without a zlib header, however it is packed', async () => {
  const texts = [Buffer.alloc(0), Buffer.from('x'), randomBytes(70_000), Buffer.alloc(90_000, 'ab')]
  for (const text of texts) {
    for (const level of [0, 1, 9]) {
      for (const encode of [deflateSync, deflateRawSync]) {
        const { status, read } = await send(encode(text, { level }), 'deflate')
        assert.equal(status, 200, `${encode.name} ${level} ${text.length}`)
        assert.deepEqual(read, text)
      }
    }
  }
})

test('collectBody() refuses bare deflate that is cut, or grows without end', async () => {
  const whole = deflateRawSync(randomBytes(50_000))
  for (const length of [1, 2, 100, whole.length - 1]) {
    assert.equal((await send(whole.subarray(0, length), 'deflate')).status, 400, `${length}`)
  }
  assert.equal((await send(Buffer.from('no deflate'), 'deflate')).status, 400)
  const bomb = deflateRawSync(Buffer.alloc(100_000_000), { level: 1 })
  const before = process.memoryUsage().arrayBuffers
  assert.equal((await send(bomb, 'deflate')).status, 413)
  assert.ok(process.memoryUsage().arrayBuffers - before < 50_000_000)
})

test('collectBody() refuses a deflate body whose connection breaks before its first byte', async () => {
  const source = new PassThrough()
  const reading = collectBody(source, { contentEncoding: 'deflate', limitBytes: LIMIT_BYTES })
  source.destroy(new Error('gone'))
  await assert.rejects(reading, /connection closed before the body was complete|gone/)
})

test('collectBody() refuses zstd that wants more memory than usual levels', async () => {
  const check = async (windowLog: number) => {
    const params = { [constants.ZSTD_c_windowLog]: windowLog }
    // Without a length the frame asks for its whole window.
    const encoder = createZstdCompress({ params })
    encoder.write('[1,')
    encoder.flush()
    encoder.end('2]')
    const parts: Buffer[] = []
    for await (const part of encoder) parts.push(part as Buffer)
    const source = Readable.from([Buffer.concat(parts)])
    return String(await collectBody(source, { contentEncoding: 'zstd', limitBytes: LIMIT_BYTES }))
  }
  assert.equal(await check(23), '[1,2]')
  await assert.rejects(check(24), /Cannot decompress the zstd body/)
})

test('collectBody() refuses what does not inflate', async () => {
  const whole = gzipSync(Buffer.alloc(50_000, 'abc'))
  assert.equal((await send(whole.subarray(0, 60), 'gzip')).status, 400)
  assert.equal((await send(Buffer.from('no gzip'), 'gzip')).status, 400)
  assert.equal((await send(whole, 'lzw')).status, 415)
})

test('collectBody() reads an empty body without decompressing it', async () => {
  for (const encoding of ['gzip', 'deflate', 'br', 'zstd']) {
    const { status, read } = await send(Buffer.alloc(0), encoding)
    assert.equal(status, 200, encoding)
    assert.deepEqual(read, Buffer.alloc(0))
  }
})

test('collectBody() refuses bytes after the end of compressed data, in one piece or bytewise', async () => {
  const text = Buffer.from('[1,2]')
  for (const [encoding, encode] of [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const) {
    const rest = encoding === 'br' || encoding === 'deflate' ? encode(text) : Buffer.from('rest')
    const body = Buffer.concat([encode(text), rest])
    const bytes = Array.from(body, (byte) => Buffer.of(byte))
    for (const pieces of [[body], bytes]) {
      const reading = collectBody(Readable.from(pieces), {
        contentEncoding: encoding,
        limitBytes: LIMIT_BYTES,
      })
      await assert.rejects(reading, { code: 'bad_input' }, `${encode.name} ${pieces.length}`)
    }
  }
  for (const [encoding, encode] of [
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ] as const) {
    const { read } = await send(Buffer.concat([encode(text), encode(text)]), encoding)
    assert.deepEqual(read, Buffer.from('[1,2][1,2]'), encoding)
  }
  const padded = await send(Buffer.concat([gzipSync(text), Buffer.alloc(100)]), 'gzip')
  assert.deepEqual(padded.read, text)
})

test('collectBody() refuses more than a thousand times what was sent, beyond 16 MB', async () => {
  const read = async (body: Buffer, contentEncoding: string) => {
    const source = Readable.from([body])
    return (await collectBody(source, { contentEncoding, limitBytes: 100_000_000 })).length
  }
  const free = Buffer.alloc(16 * 1024 * 1024, 'a')
  for (const [encoding, encode] of [
    ['br', (body: Buffer) => brotliCompressSync(body, { params: QUICKLY })],
    ['zstd', zstdCompressSync],
  ] as const) {
    assert.equal(await read(encode(free), encoding), free.length)
    await assert.rejects(read(encode(Buffer.concat([free, free])), encoding), {
      code: 'bad_input',
      message: /more than 1000 times larger after decompression. Send it uncompressed/,
    })
  }
  const usual = Buffer.concat([randomBytes(40_000), free, free])
  assert.equal(await read(gzipSync(usual, { level: 1 }), 'gzip'), usual.length)
})
