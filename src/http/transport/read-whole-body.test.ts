import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { MemoryBudget, nextIteration } from '../../base/index.ts'
import { type BodyForm, readWholeBody, type UseBytes } from './read-whole-body.ts'

const LIMIT_BYTES = 1_000
const BUDGET_BYTES = 64 * 1024 * 1024

/** A request whose body the test writes piece by piece. */
function request(headers: Record<string, string>) {
  const stream = new PassThrough()
  const message = Object.assign(stream, { headers, complete: false })
  stream.on('end', () => {
    message.complete = true
  })
  return { stream, message: message as unknown as IncomingMessage }
}

interface Reader {
  read<T>(req: IncomingMessage, use: UseBytes<T>): Promise<T>
}

/** Reads bodies of one form; those of a known caller, if nothing else is said. */
function readerOf(
  limitBytes: number,
  budget: MemoryBudget,
  { isKnown = true, ...form }: Partial<BodyForm> & { readonly isKnown?: boolean } = {},
): Reader {
  const reading = { form: { limitBytes, hasBatchForm: true, ...form }, budget, isKnown }
  return { read: (req, use) => readWholeBody(req, reading, use) }
}

const sized = (bytes: number): Record<string, string> => ({ 'content-length': String(bytes) })

const CALLERS = [{ isKnown: true }, { isKnown: false }]

test('readWholeBody() hands over an empty body when the request brings none', async () => {
  for (const caller of CALLERS) {
    const reader = readerOf(LIMIT_BYTES, new MemoryBudget(BUDGET_BYTES), caller)
    for (const headers of [{}, sized(0)] as Record<string, string>[]) {
      assert.equal(await reader.read(request(headers).message, (body) => body.length), 0)
    }
  }
})

test('readWholeBody() hands over an empty body in chunks, whatever its encoding', async () => {
  for (const caller of CALLERS) {
    for (const encoding of ['gzip', 'deflate', 'br', 'zstd']) {
      const budget = new MemoryBudget(BUDGET_BYTES)
      const headers = { 'transfer-encoding': 'chunked', 'content-encoding': encoding }
      const { message, stream } = request(headers)
      stream.end()
      const read = readerOf(LIMIT_BYTES, budget, caller).read(message, (body) => body.length)
      assert.equal(await read, 0, encoding)
      assert.equal(budget.figures.usedBytes, 0)
    }
  }
})

test('readWholeBody() joins the pieces of a body, plain or compressed', async () => {
  for (const caller of CALLERS) {
    const budget = new MemoryBudget(BUDGET_BYTES)
    const reader = readerOf(LIMIT_BYTES, budget, caller)
    const plain = request(sized(6))
    const read = reader.read(plain.message, (body) => body.toString())
    plain.stream.write('abc')
    plain.stream.end('def')
    assert.equal(await read, 'abcdef')
    const packed = request({ 'transfer-encoding': 'chunked', 'content-encoding': 'gzip' })
    packed.stream.end(gzipSync('abcdef'))
    assert.equal(await reader.read(packed.message, (body) => body.toString()), 'abcdef')
    assert.equal(budget.figures.usedBytes, 0)
  }
})

test('readWholeBody() refuses a body over the limit: by its length, while it comes, while it inflates', async () => {
  const use = async () => assert.fail('the body was used')
  const refused = { code: 'body_too_large', status: 413 }
  for (const caller of CALLERS) {
    const budget = new MemoryBudget(BUDGET_BYTES)
    const reader = readerOf(LIMIT_BYTES, budget, caller)
    await assert.rejects(reader.read(request(sized(1_001)).message, use), refused)
    const chunked = request({ 'transfer-encoding': 'chunked' })
    const reading = reader.read(chunked.message, use)
    chunked.stream.write(Buffer.alloc(600))
    chunked.stream.write(Buffer.alloc(600))
    await assert.rejects(reading, refused)
    const bomb = request({ ...sized(100), 'content-encoding': 'gzip' })
    bomb.stream.end(gzipSync(Buffer.alloc(100_000)))
    await assert.rejects(reader.read(bomb.message, use), refused)
    assert.equal(budget.figures.usedBytes, 0)
  }
})

test('readWholeBody() counts a body of an unauthenticated client as it arrives, and never waits for room', async () => {
  const budget = new MemoryBudget(BUDGET_BYTES)
  const reader = readerOf(BUDGET_BYTES, budget, { isKnown: false })
  const { stream, message } = request(sized(10_000_000))
  const reading = reader.read(message, async () => assert.fail('the body was used'))
  assert.equal(budget.figures.usedBytes, 0)
  stream.write(Buffer.alloc(10_000))
  while (budget.figures.usedBytes === 0) await nextIteration()
  assert.equal(budget.figures.usedBytes, 10_000)
  stream.write(Buffer.alloc(budget.unauthenticatedBytesMax))
  await assert.rejects(reading, { code: 'overloaded', status: 503 })
  assert.equal(budget.figures.usedBytes, 0)
})

/** Reads a complete body of `bytes` bytes. */
function send(
  reader: Reader,
  bytes: number,
  options: { readonly headers?: Record<string, string>; readonly use?: () => Promise<void> } = {},
) {
  const { headers = sized(bytes), use = async () => {} } = options
  const { stream, message } = request(headers)
  const body = Buffer.alloc(bytes, 'x')
  stream.end(headers['content-encoding'] === undefined ? body : gzipSync(body, { level: 1 }))
  return reader.read(message, use)
}

const CHUNKED = { 'transfer-encoding': 'chunked' }
const PACKED = { ...CHUNKED, 'content-encoding': 'gzip' }

test('readWholeBody() lets a body wait until there is memory for it, whatever way it comes', async () => {
  for (const headers of [undefined, CHUNKED, PACKED]) {
    const budget = new MemoryBudget(BUDGET_BYTES)
    const reader = readerOf(BUDGET_BYTES, budget)
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const held = send(reader, 30_000_000, { use: () => released })
    const waiting = send(reader, 10_000_000, { headers })
    while (budget.figures.waiting === 0) await new Promise((resolve) => setImmediate(resolve))
    // Small ones are read meanwhile.
    await send(reader, 50_000)
    await send(reader, 50_000, { headers })
    assert.equal(budget.figures.waiting, 1)
    release()
    await Promise.all([held, waiting])
    assert.equal(budget.figures.usedBytes, 0)
  }
})

test('readWholeBody() asks to come again when the wait was in vain, and takes bodies again afterwards', async () => {
  const budget = new MemoryBudget(BUDGET_BYTES, 1)
  const reader = readerOf(BUDGET_BYTES, budget)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const held = send(reader, 30_000_000, { use: () => released })
  // The wait alone does not keep a process alive.
  const alive = setInterval(() => {}, 1_000)
  for (const headers of [undefined, CHUNKED, PACKED]) {
    await assert.rejects(send(reader, 10_000_000, { headers }), {
      code: 'overloaded',
      status: 503,
      retryAfterSeconds: 5,
    })
  }
  clearInterval(alive)
  release()
  await held
  assert.equal(budget.figures.usedBytes, 0)
  await send(reader, 30_000_000)
})

test('readWholeBody() refuses a body that could never be held, by its length and while it inflates', async () => {
  const reader = readerOf(200_000_000, new MemoryBudget(BUDGET_BYTES))
  const refused = { code: 'body_too_large', status: 413 }
  for (const headers of [undefined, CHUNKED, PACKED]) {
    await assert.rejects(send(reader, 40_000_000, { headers }), refused)
  }
})

test('readWholeBody() gives back what a caller held who goes away, while it waits or sends', async () => {
  const budget = new MemoryBudget(BUDGET_BYTES)
  const reader = readerOf(BUDGET_BYTES, budget)
  const use = async () => assert.fail('the body was used')
  for (const headers of [sized(10_000_000), CHUNKED]) {
    const sending = request(headers)
    const reading = reader.read(sending.message, use)
    sending.stream.write(Buffer.alloc(10_000))
    const waiting = request(sized(20_000_000))
    const held = await budget.take(30_000_000)
    const inVain = reader.read(waiting.message, use)
    waiting.stream.write('[')
    while (budget.figures.waiting === 0) await nextIteration()
    const silent = request(sized(20_000_000))
    const unheard = reader.read(silent.message, use)
    silent.stream.destroy()
    waiting.stream.destroy()
    sending.stream.destroy()
    await assert.rejects(unheard)
    await assert.rejects(inVain)
    await assert.rejects(reading)
    held.release()
    assert.deepEqual([budget.figures.usedBytes, budget.figures.waiting], [0, 0])
  }
})

test('readWholeBody() hands over memory that is given back when the call is done', async () => {
  const reader = readerOf(BUDGET_BYTES, new MemoryBudget(BUDGET_BYTES))
  for (const headers of [sized(1_000_000), CHUNKED, PACKED]) {
    const { stream, message } = request(headers)
    stream.end(headers === PACKED ? gzipSync(Buffer.alloc(1_000_000)) : Buffer.alloc(1_000_000))
    const body = await reader.read(message, async (bytes) => {
      assert.equal(bytes.length, 1_000_000)
      return bytes
    })
    assert.equal(body.length, 0)
  }
})

test('readWholeBody() refuses a body that breaks off', async () => {
  const reader = readerOf(LIMIT_BYTES, new MemoryBudget(BUDGET_BYTES))
  const { stream, message } = request(sized(10))
  const reading = reader.read(message, async () => assert.fail('the body was used'))
  stream.write('abc')
  stream.destroy()
  await assert.rejects(reading, { code: 'bad_input' })
})

test('readWholeBody() takes what a thread needs for a long batch before its body, not once it has it', async () => {
  const budget = new MemoryBudget(BUDGET_BYTES)
  const reader = readerOf(BUDGET_BYTES, budget)
  const cases = [
    { begin: '{"feed":', readerBytes: budget.shareBytesMax - 3_500_000 },
    { begin: '\ufeff \r\n\t{', readerBytes: budget.shareBytesMax - 3_500_000 },
    { begin: '[{"compId":"c"', readerBytes: undefined },
    { begin: ' '.repeat(5_000), readerBytes: undefined },
  ]
  for (const { begin, readerBytes } of cases) {
    const { stream, message } = request(sized(2_000_000))
    const reading = reader.read(message, async (body, held) => {
      assert.equal(body.toString('utf8', 0, Buffer.byteLength(begin)), begin)
      assert.equal(body.length, 2_000_000)
      assert.equal(held?.readerBytes, readerBytes, begin)
    })
    stream.write(begin)
    while (budget.figures.usedBytes === 0) await nextIteration()
    assert.equal(budget.figures.usedBytes, 3_500_000 + (readerBytes ?? 0))
    stream.end(Buffer.alloc(2_000_000 - Buffer.byteLength(begin), ' '))
    await reading
  }
  assert.equal(budget.figures.usedBytes, 0)
})

test('readWholeBody() takes nothing for a thread where bodies have no batch form', async () => {
  const budget = new MemoryBudget(BUDGET_BYTES)
  const reader = readerOf(BUDGET_BYTES, budget, { hasBatchForm: false })
  const { stream, message } = request(sized(2_000_000))
  const reading = reader.read(message, async (_, held) => {
    assert.equal(held?.readerBytes, undefined)
    assert.equal(budget.figures.usedBytes, 3_500_000)
  })
  stream.end('{'.padEnd(2_000_000))
  await reading
})
