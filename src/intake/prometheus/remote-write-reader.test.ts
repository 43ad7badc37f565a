import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import {
  bytesField,
  type WrittenSeries,
  writeRequest1,
  writeRequest2,
} from '../../../test/support/remote-write.ts'
import { VALUE_SPECIAL } from '../../feed/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import { SeriesCache } from '../series-cache.ts'
import { RemoteWriteReader, type RemoteWriteVersion } from './remote-write-reader.ts'

const VERSIONS = [1, 2] as const
const WRITERS = { 1: writeRequest1, 2: writeRequest2 }
const BOUNDS = { samplesMax: 1_000_000, seriesMax: 20_000 }

function newCache() {
  return new SeriesCache({ seriesGeneration: 0, has: () => true })
}

type Point = [labels: Readonly<Record<string, string>>, value: number | string, time: number]

/** Reads a body in slices, and gives each series a stream as the service would. */
function read(
  bytes: Buffer,
  version: RemoteWriteVersion,
  {
    cache = newCache(),
    samplesMax = 1_000_000,
    turn = 64,
    handles = new Map<string, number>(),
  } = {},
) {
  const reader = new RemoteWriteReader(bytes, cache, { ...BOUNDS, samplesMax, version })
  const points: Point[] = []
  const refused: string[] = []
  let openCount = 0
  while (!reader.isAtEnd) {
    const slice = reader.begin()
    while (reader.read('org', turn));
    const { samples } = slice
    assert.ok(samples.count <= samplesMax)
    openCount += samples.series.length
    for (const open of samples.series) {
      const key = JSON.stringify(Object.entries(open.series).sort())
      if (!handles.has(key)) handles.set(key, handles.size + 1)
      open.handle = handles.get(key) as StreamHandle
      for (const index of open.samples) samples.handles[index] = open.handle
    }
    const labelsOf = new Map([...handles].map(([key, handle]) => [handle, key]))
    for (let index = 0; index < samples.count; index++) {
      const key = labelsOf.get(samples.handles[index])
      assert.ok(key !== undefined, 'a sample without a stream')
      const isSpecial = samples.kinds[index] === VALUE_SPECIAL
      const value = isSpecial ? (samples.texts?.[index] ?? '') : samples.numbers[index]
      points.push([Object.fromEntries(JSON.parse(key)), value, samples.times[index]])
    }
    for (const { line, from, until, reason } of slice.refused) {
      refused.push(`${line} ${reader.textAt(from, until)}: ${reason}`)
    }
    reader.learn()
  }
  return { points, refused, openCount }
}

for (const version of VERSIONS) {
  const write = WRITERS[version]

  test(`RemoteWriteReader reads what an encoder of version ${version}.0 writes, however it is sliced`, () => {
    const text = fc.string({ minLength: 1, maxLength: 8 })
    const labels = fc.dictionary(text, text, { maxKeys: 4, noNullPrototype: true })
    const series = fc.record({
      labels: labels.map((more) => ({ ...more, __name__: more.__name__ ?? 'm' })),
      samples: fc.array(
        fc.tuple(
          fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
          fc.integer({ min: -1_000_000, max: 2_000_000_000_000 }),
        ),
        { maxLength: 5 },
      ),
    })
    const check = fc.property(
      fc.array(series, { maxLength: 8 }),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 200 }),
      (body, samplesMax, turn) => {
        const expected = body.flatMap(({ labels: own, samples }) =>
          samples.map(([value, time]): Point => [own, value, time]),
        )
        const cache = newCache()
        const handles = new Map<string, number>()
        const first = read(write(body), version, { cache, samplesMax, turn, handles })
        assert.deepEqual(first.points, expected)
        assert.deepEqual(first.refused, [])
        const again = read(write(body), version, { cache, samplesMax, turn, handles })
        assert.deepEqual(again.points, expected)
        assert.equal(again.openCount, 0, 'every series is known by its bytes')
      },
    )
    fc.assert(check, { numRuns: 300 })
  })

  test(`RemoteWriteReader keeps the bits of special values in version ${version}.0`, () => {
    const bits = [
      0x7ff0000000000002n,
      0x7ff8000000000001n,
      0x7ff0000000000000n,
      0xfff0000000000000n,
    ]
    const samples = bits.map((value, at) => [value, at + 1] as const)
    const { points } = read(write([{ labels: { __name__: 'up' }, samples }]), version)
    assert.deepEqual(
      points.map(([, value]) => value),
      bits.map((value) => value.toString(16)),
    )
  })

  test(`RemoteWriteReader rejects single points in version ${version}.0, and reads the others`, () => {
    const ok = [1, 7] as const
    const body: WrittenSeries[] = [
      { labels: { __name__: 'good' }, samples: [ok, [2, 1e16], [3, -1e15]] },
      { labels: { nameless: 'x' }, samples: [ok] },
      {
        labels: [
          ['__name__', 'm'],
          ['a', '1'],
          ['a', '2'],
        ],
        samples: [ok],
      },
      {
        labels: [
          ['__name__', 'm'],
          ['', '1'],
        ],
        samples: [ok],
      },
      {
        labels: [
          ['__name__', 'm'],
          ['gone', ''],
        ],
        samples: [ok],
      },
      { labels: { __name__: 'h', a: 'b' }, samples: [ok], histograms: 2 },
      { labels: { __name__: 'none' }, samples: [] },
    ]
    const { points, refused } = read(write(body), version)
    assert.deepEqual(points, [
      [{ __name__: 'good' }, 1, 7],
      [{ __name__: 'm' }, 1, 7],
      [{ __name__: 'h', a: 'b' }, 1, 7],
    ])
    assert.deepEqual(refused, [
      '1 good{}: The time must lie from 1900 to 2261, in milliseconds',
      '1 good{}: The time must lie from 1900 to 2261, in milliseconds',
      '2 : Label __name__ is missing',
      '3 : Label "a" is there twice',
      '4 : A label has no name',
      '6 h{a="b"}: Native histograms are not stored. Send classic buckets',
      '6 h{a="b"}: Native histograms are not stored. Send classic buckets',
    ])
  })

  test(`RemoteWriteReader refuses malformed bodies of version ${version}.0, and nothing else fails`, () => {
    const good = write([{ labels: { __name__: 'up', job: 'j' }, samples: [[1, 2]] }])
    const check = fc.property(fc.nat(good.length - 1), fc.nat(255), fc.nat(20), (at, byte, cut) => {
      const bytes = Buffer.from(good.subarray(0, good.length - cut))
      if (at < bytes.length) bytes[at] = byte
      try {
        read(bytes, version)
      } catch (error) {
        assert.match(
          String(error),
          /The body is not valid protobuf|Symbol \d+ is missing|has no value/,
        )
      }
    })
    fc.assert(check, { numRuns: 3_000 })
  })
}

test('RemoteWriteReader finds labels that are not adjacent, and knows both versions by the same series', () => {
  const cache = newCache()
  const handles = new Map<string, number>()
  const labels = { __name__: 'up', job: 'j' }
  read(writeRequest1([{ labels, samples: [[1, 1]] }]), 1, { cache, handles })
  const second = read(writeRequest2([{ labels, samples: [[2, 2]] }]), 2, { cache, handles })
  assert.equal(second.openCount, 0)
  const label = (name: string, value: string) =>
    bytesField(1, bytesField(1, name), bytesField(2, value))
  const sample = bytesField(2, Buffer.from([0x10, 3]))
  const scattered = bytesField(1, label('__name__', 'up'), sample, label('job', 'j'))
  const third = read(scattered, 1, { cache, handles })
  assert.deepEqual(third.points, [[labels, 0, 3]])
  assert.equal(third.openCount, 0)
})

test('RemoteWriteReader reads at most 1,000 labels of a series', () => {
  const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`l${at}`, 'x']))
  const bad: WrittenSeries = { labels: many, samples: [[1, 2]] }
  const good: WrittenSeries = { labels: { __name__: 'up' }, samples: [[1, 2]] }
  for (const version of VERSIONS) {
    const { points, refused } = read(WRITERS[version]([bad, good]), version)
    assert.deepEqual(points, [[{ __name__: 'up' }, 1, 2]])
    // The end, with its missing name, is not reached.
    assert.deepEqual(refused, ['1 : A stream may have 64 labels'])
  }
})

test('RemoteWriteReader skips unknown fields', () => {
  const unknown = [bytesField(9, 'x'), Buffer.from([0x78, 1]), Buffer.from([0x7d, 1, 2, 3, 4])]
  const body = writeRequest1([{ labels: { __name__: 'up' }, samples: [[1, 2]] }])
  assert.equal(read(Buffer.concat([...unknown, body, ...unknown]), 1).points.length, 1)
})

test('RemoteWriteReader reads a known series after another as if it were new', () => {
  const label = (name: string, value: string) =>
    bytesField(1, bytesField(1, name), bytesField(2, value))
  const [up, a1, a11, b2] = [
    label('__name__', 'up'),
    label('a', '1'),
    label('a', '11'),
    label('b', '2'),
  ]
  const sample = bytesField(2, Buffer.from([0x10, 3]))
  // Some begin like others, have labels behind their samples, no samples, or what is no sample.
  const messages = [
    [up, a1, sample],
    [up, a1, b2, sample],
    [up, a11, sample, sample],
    [up, a1, sample, b2],
    [up, sample, a1],
    [up, a1],
    [up, a1, sample, bytesField(4, '')],
    [up, a1, sample, bytesField(9, 'x')],
    [a1, sample],
  ].map((fields) => bytesField(1, ...fields))
  const body = fc.array(fc.constantFrom(...messages), { maxLength: 12 })
  const check = fc.property(
    fc.array(body, { minLength: 2, maxLength: 6 }),
    fc.integer({ min: 1, max: 200 }),
    (bodies, turn) => {
      const shared = { cache: newCache(), handles: new Map<string, number>(), turn }
      for (const one of bodies.map((parts) => Buffer.concat(parts))) {
        const { points, refused } = read(one, 1, shared)
        const alone = read(one, 1, { turn })
        assert.deepEqual({ points, refused }, { points: alone.points, refused: alone.refused })
      }
    },
  )
  fc.assert(check, { numRuns: 500 })
})
