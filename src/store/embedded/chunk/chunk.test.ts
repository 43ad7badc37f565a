import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyCharacter, fc } from '../../../../test/support/fast-check.ts'
import { roundsOf } from '../../../../test/support/random.ts'
import type { SampleColumns } from '../../ports/sample-port.ts'
import { CHUNK_SAMPLES_MAX, chunkInfo, decodeChunk, encodeChunk } from './chunk.ts'
import { DamagedBytes } from './damaged-bytes.ts'

const OWNER = { stream: 70_000, isRun: false }

function columnsOf(samples: ReadonlyArray<readonly [number, number | string]>): SampleColumns {
  const hasTexts = samples.some(([, value]) => typeof value === 'string')
  return {
    count: samples.length,
    times: Float64Array.from(samples, ([time]) => time),
    numbers: Float64Array.from(samples, ([, value]) => (typeof value === 'number' ? value : 0)),
    texts: hasTexts
      ? samples.map(([, value]) => (typeof value === 'string' ? value : undefined))
      : undefined,
  }
}

function samplesOf(columns: SampleColumns): Array<readonly [number, number | string]> {
  return Array.from({ length: columns.count }, (_, index) => [
    columns.times[index],
    columns.texts?.[index] ?? columns.numbers[index],
  ])
}

function assertRoundTrip(samples: ReadonlyArray<readonly [number, number | string]>): Uint8Array {
  const bytes = encodeChunk(columnsOf(samples), OWNER)
  // deepStrictEqual distinguishes -0 from 0 and compares every double exactly.
  assert.deepEqual(samplesOf(decodeChunk(bytes)), samples)
  const info = chunkInfo(bytes)
  assert.equal(info.count, samples.length)
  assert.equal(info.firstTime, samples[0][0])
  assert.equal(info.lastTime, samples[samples.length - 1][0])
  assert.equal(
    info.hasTexts,
    samples.some(([, value]) => typeof value === 'string'),
  )
  return bytes
}

function every10s(
  values: ReadonlyArray<number | string>,
): Array<readonly [number, number | string]> {
  return values.map((value, index) => [1_700_000_000_000 + index * 10_000, value])
}

/** A small generator with a fixed seed, so that sizes are the same on every run. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const anyTime = fc.integer({ min: -2_208_988_800_000, max: 9_214_646_399_999 })
const anyNumber = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -100_000, max: 100_000 }).map((integer) => integer / 100),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.constantFrom(0, -0, 5e-324, -5e-324, Number.MAX_VALUE, -Number.MAX_VALUE, 2 ** 53, 0.1 + 0.2),
)
const anyText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.constantFrom('', 'on', 'off', '\ud800'),
)

test('decodeChunk() gives back every bit of what encodeChunk() got, whatever it was', () => {
  const kinds = [anyNumber, fc.oneof(anyNumber, anyText), anyText, fc.constantFrom(0, 1)]
  const step = fc.constantFrom(1, 1_000, 60_000, 0)
  fc.assert(
    fc.property(
      fc.constantFrom(...kinds).chain((kind) => fc.array(kind, { minLength: 1, maxLength: 300 })),
      anyTime,
      step,
      fc.array(fc.integer({ min: 1, max: 1_000_000_000 }), { minLength: 300, maxLength: 300 }),
      (values, start, regularStep, gaps) => {
        let time = Math.min(start, 9_214_646_399_999 - 300 * 1_000_000_000)
        assertRoundTrip(
          values.map((value, index) => {
            time += regularStep === 0 ? gaps[index] : regularStep
            return [time, value] as const
          }),
        )
      },
    ),
    { numRuns: roundsOf(500) },
  )
})

test('decodeChunk() gives back long columns of each kind', () => {
  const random = randomFrom(7)
  const make: Record<string, () => number | string> = {
    noise: () => random() * 1e6 - 5e5,
    decimals: () => Math.round(random() * 10_000) / 100,
    wide: () => Math.round((random() - 0.5) * 2 ** 50),
    beyondSafe: () => Math.round((random() - 0.5) * 2 ** 60),
    floats: () => Math.fround(random()),
    switches: () => (random() < 0.01 ? 1 : 0),
    constant: () => 21.5,
    words: () => ['idle', 'run', 'stop', 'fault'][Math.floor(random() * 4)],
    mixed: () => (random() < 0.5 ? 'x' : random()),
    rareExceptions: () => (random() < 0.01 ? -0 : Math.round(random() * 1_000) / 10),
  }
  for (const [name, next] of Object.entries(make)) {
    const values = Array.from({ length: CHUNK_SAMPLES_MAX }, next)
    const bytes = assertRoundTrip(every10s(values))
    assert.ok(bytes.length < 10 * CHUNK_SAMPLES_MAX, name)
  }
})

test('encodeChunk() packs slow sensors, counters, switches and odd steps tightly', () => {
  const random = randomFrom(11)
  let walk = 2_100
  let counter = 0
  const bytesPerSample = (next: () => number): number =>
    encodeChunk(columnsOf(every10s(Array.from({ length: CHUNK_SAMPLES_MAX }, next))), OWNER)
      .length / CHUNK_SAMPLES_MAX
  const walked = bytesPerSample(() => {
    walk += Math.round((random() + random() + random() - 1.5) * 4)
    return walk / 100
  })
  const sixteenths = bytesPerSample(() => 20 + Math.floor(random() * 4) / 16)
  const counted = bytesPerSample(() => (counter += random() < 0.3 ? 1 : 0))
  assert.ok(walked < 0.42, `random walk ${walked}`)
  assert.ok(sixteenths < 0.4, `sixteenths ${sixteenths}`)
  assert.ok(counted < 0.13, `counter ${counted}`)
  assert.ok(bytesPerSample(() => 7.25) < 0.01, 'constant')
})

test('encodeChunk() spends little on a single sample', () => {
  assert.ok(assertRoundTrip([[1_700_000_000_000, 21.37]]).length <= 28)
})

test('decodeChunk() refuses a chunk with any bit flipped, any byte missing or added', () => {
  const values = [20.5, 'on', -0, 1e300, 5e-324, 20.25, 'off', 'on', 3, 1 / 3]
  for (const samples of [every10s(values), every10s([1.25, 1.5, 2]), every10s(['a', 'b'])]) {
    const bytes = encodeChunk(columnsOf(samples), OWNER)
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = bytes.slice()
      flipped[bit >> 3] ^= 1 << (bit & 7)
      assert.throws(() => decodeChunk(flipped), DamagedBytes, `bit ${bit}`)
      assert.throws(() => chunkInfo(flipped), DamagedBytes, `bit ${bit}`)
    }
    for (let length = 0; length < bytes.length; length++) {
      assert.throws(() => decodeChunk(bytes.subarray(0, length)), DamagedBytes)
    }
    assert.throws(() => decodeChunk(Uint8Array.of(...bytes, 0)), DamagedBytes)
  }
})

test('encodeChunk() refuses an empty or oversized column as a mistake of its caller', () => {
  assert.throws(() => encodeChunk(columnsOf([]), OWNER), /BUG/)
  const tooMany = every10s(new Array(CHUNK_SAMPLES_MAX + 1).fill(1))
  assert.throws(() => encodeChunk(columnsOf(tooMany), OWNER), /BUG/)
})

test('decodeChunk() refuses a chunk that is held for what it is not', () => {
  const bytes = encodeChunk(columnsOf(every10s([1, 2, 3])), OWNER)
  const { firstTime: start, lastTime: last, owner } = chunkInfo(bytes)
  assert.deepEqual(owner, OWNER)
  const claim = { ...OWNER, start, last, count: 3 }
  assert.equal(decodeChunk(bytes, claim).count, 3)
  for (const other of [
    { ...claim, stream: OWNER.stream ^ 1 },
    { ...claim, isRun: true },
    { ...claim, start: start - 1 },
    { ...claim, last: last + 1 },
    { ...claim, count: 2 },
  ]) {
    assert.throws(() => decodeChunk(bytes, other), DamagedBytes, JSON.stringify(other))
  }
})
