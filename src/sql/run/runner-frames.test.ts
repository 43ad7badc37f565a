import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Random, testSeeds } from '../../../test/support/random.ts'
import { CellWriter } from './cell-codec.ts'
import { beginFrame, endFrame, FRAME_BYTES_MAX, FrameReader } from './runner-frames.ts'

function frames(bodies: readonly string[]): Buffer {
  const writer = new CellWriter()
  bodies.forEach((body, index) => {
    const at = beginFrame(writer, index % 256)
    writer.text(body)
    endFrame(writer, at)
  })
  return writer.take()
}

test('FrameReader.next() finds the same frames, wherever the bytes are cut', () => {
  for (const seed of testSeeds(30)) {
    const random = new Random(seed)
    const bodies = Array.from({ length: random.integer(1, 20) }, () =>
      'x'.repeat(random.pick([0, 1, 3, 100, 5_000])),
    )
    const bytes = frames(bodies)
    const reader = new FrameReader()
    const found: string[] = []
    for (let at = 0; at < bytes.length; ) {
      const until = Math.min(bytes.length, at + random.pick([1, 2, 4, 5, 7, 1_000, 9_000]))
      reader.push(Buffer.from(bytes.subarray(at, until)))
      at = until
      // What is not asked for now must be there later.
      if (random.integer(0, 4) === 0 && at < bytes.length) continue
      for (let frame = reader.next(); frame !== undefined; frame = reader.next()) {
        assert.equal(frame.kind, found.length, `seed ${seed}`)
        found.push(frame.body.subarray(4).toString())
      }
    }
    assert.deepEqual(found, bodies, `seed ${seed}`)
  }
})

test('FrameReader.next() refuses a frame that is longer than any may be, before it takes memory', () => {
  const reader = new FrameReader()
  const head = Buffer.alloc(5)
  head.writeUInt32LE(FRAME_BYTES_MAX + 1)
  reader.push(head)
  assert.throws(() => reader.next(), RangeError)
})
