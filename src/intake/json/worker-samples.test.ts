import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyCharacter, fc } from '../../../test/support/fast-check.ts'
import { testSeeds } from '../../../test/support/random.ts'
import { IncomingSamples, VALUE_NULL, VALUE_NUMBER, VALUE_TEXT } from '../../feed/index.ts'
import { copyBytes, packSamples, unpackSamples } from './worker-samples.ts'

const [seed] = testSeeds(1)

/** Everything that a put looks at. */
function shown(samples: IncomingSamples): unknown {
  const { count, form, isNumeric, isTimed, open } = samples
  const columns = [samples.handles, samples.times, samples.numbers, samples.kinds]
  return structuredClone({
    count,
    form,
    isNumeric,
    isTimed,
    open,
    columns: columns.map((column) => [...column.subarray(0, count)]),
    texts: Array.from({ length: count }, (_, at) => samples.texts?.[at]),
  })
}

async function roundTrip(samples: IncomingSamples): Promise<IncomingSamples> {
  const { packed, transfer } = packSamples(samples)
  return unpackSamples(structuredClone(packed, { transfer }))
}

const row = fc.record({
  time: fc.oneof(fc.integer(), fc.constant(Number.NaN)),
  value: fc.oneof(fc.double({ noNaN: true }), fc.constant(null), fc.string({ unit: anyCharacter })),
  stream: fc.integer({ min: 0, max: 5 }),
})

test(`samples are the same on the other side of a thread (WEIR_TEST_SEED=${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row), async (rows) => {
      const samples = new IncomingSamples(rows.length)
      const targets = new Map<number, number[]>()
      for (const [index, { time, value, stream }] of rows.entries()) {
        const isText = typeof value === 'string'
        const kind = isText ? VALUE_TEXT : value === null ? VALUE_NULL : VALUE_NUMBER
        const number = typeof value === 'number' ? value : 0
        samples.add(0, time, { kind, number, text: isText ? value : undefined })
        if (!targets.has(stream)) targets.set(stream, [])
        targets.get(stream)?.push(index)
      }
      for (const [stream, indexes] of targets) {
        const compName = stream === 0 ? '\ud800"' : 'name'
        samples.open.push({ compId: `c${stream}`, position: stream, compName, samples: indexes })
      }
      const before = shown(samples)
      const arrived = await roundTrip(samples)
      assert.deepEqual(shown(arrived), before)
      arrived.release()
      assert.equal(arrived.count, 0)
    }),
    { seed },
  )
})

test('unpackSamples() brings many texts and targets over, with turns for other calls', async () => {
  const count = 50_000
  const samples = new IncomingSamples(count)
  for (let at = 0; at < count; at++) {
    samples.add(0, at, { kind: VALUE_TEXT, number: 0, text: `text ${at}` })
    if (at % 5 === 0) samples.open.push({ compId: 'c', streamId: `s${at}`, samples: [at] })
  }
  const before = shown(samples)
  let iterations = 0
  let isDone = false
  const tick = () => {
    iterations += 1
    if (!isDone) setImmediate(tick)
  }
  setImmediate(tick)
  const arrived = await roundTrip(samples)
  isDone = true
  assert.deepEqual(shown(arrived), before)
  assert.ok(iterations >= 7, `${iterations} turns`)
})

test('copyBytes() copies all bytes, and nothing around them', async () => {
  const all = Uint8Array.from({ length: 5_000_000 }, (_, at) => at % 251)
  const some = all.subarray(7, 4_900_001)
  const copy = await copyBytes(some)
  assert.equal(copy.buffer.byteLength, some.length)
  assert.equal(Buffer.compare(copy, some), 0)
})
