import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { fc } from '../../../test/support/fast-check.ts'
import { cacheOf, understood } from '../../../test/support/json-bodies.ts'
import { roundsOf } from '../../../test/support/random.ts'
import { MemoryBudget, Refusal } from '../../base/index.ts'
import type { IncomingSamples } from '../../feed/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import { StreamCache } from '../stream-cache.ts'
import { readJsonSamples } from './json-samples.ts'
import { findJsonFault } from './json-scan.ts'
import { readParsedJson } from './parsed-json.ts'

function refusedBy(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    if (error instanceof Refusal) return `${error.code}: ${error.message}`
    throw error
  }
  return 'accepted'
}

test('readParsedJson() names the sample and the field of a mistake', () => {
  const check = (body: string, expected: RegExp) =>
    assert.match(
      refusedBy(() => readParsedJson(Buffer.from(body))),
      expected,
    )
  const good = '{"compId":"a","streamId":"s","data":1}'
  check(`[${good},{"streamId":"s","data":1}]`, /sample 1: "compId" is missing/)
  check(`[${good},{"compId":"a","data":1}]`, /sample 1: "streamId" is missing/)
  check(`[{"compId":"","streamId":"s","data":1}]`, /sample 0: "compId" must not be blank/)
  check(`[{"compId":"${'x'.repeat(513)}","streamId":"s","data":1}]`, /"compId" has 513 characters/)
  check(`[{"compId":7,"streamId":"s","data":1}]`, /"compId" must be a string, got 7/)
  check(`[${good},${good},{"compId":"a","streamId":"s"}]`, /sample 2: "data" is missing/)
  check(`[{"compId":"a","streamId":"s","data":[1]}]`, /sample 0: "data" must be/)
  check(`[{"compId":"a","streamId":"s","data":{}}]`, /sample 0: "data" must be/)
  check(
    `[{"compId":"a","streamId":"s","data":1,"time":1.5}]`,
    /sample 0: "time" must be integer epoch/,
  )
  check(
    `[{"compId":"a","streamId":"s","data":1,"time":"5s"}]`,
    /sample 0: "time" must be integer epoch/,
  )
  check(`[{"compId":"a","streamId":"s","data":1,"time":9214646400000}]`, /"time" must be/)
  check('[5]', /sample 0: it must be an object, got 5/)
  check('7', /must be a list of samples or an object/)
  check(`[${good},NaN]`, /bad_json: .* unexpected "N" at position 40/)
})

test('readParsedJson() reads the batch form', () => {
  const body = {
    feed: {
      component: [
        {
          componentId: 'a',
          compTmplId: 't',
          time: [1, 2],
          defaults: { name: 'A' },
          stream: [
            { streamId: 's', data: [1, 'x'] },
            { streamUid: 'u', time: [5], data: [null] },
          ],
        },
        { componentUid: 'b', stream: [{ streamId: 's', data: [true] }] },
      ],
    },
  }
  const samples = readParsedJson(Buffer.from(JSON.stringify(body)))
  assert.deepEqual(understood(samples), [
    ['o/a/s', 1, 0, 1, undefined],
    ['o/a/s', 2, 1, 0, 'x'],
    ['o/a/u', 5, 2, 0, undefined],
    ['o/b/s', Number.NaN, 4, 0, undefined],
  ])
  assert.equal(samples.open[0].compTmplId, 't')
  assert.equal(samples.open[0].compName, 'A')
  assert.equal(samples.isTimed, false)
})

test('readParsedJson() names the place of a mistake in the batch form', () => {
  const check = (component: unknown, expected: RegExp) => {
    const body = Buffer.from(JSON.stringify({ feed: { component: [component] } }))
    assert.match(
      refusedBy(() => readParsedJson(body)),
      expected,
    )
  }
  check({ stream: [] }, /component 0: "componentId" is missing/)
  check({ componentId: 'a', componentUid: 'b', stream: [] }, /Use one of them/)
  check({ componentId: 'a' }, /component 0: "stream" must be a list/)
  check({ componentId: 'a', stream: [{ data: [1] }] }, /stream 0: "streamId" is missing/)
  check({ componentId: 'a', stream: [{ streamId: 's' }] }, /stream 0: "data" must be a list/)
  check(
    { componentId: 'a', time: [1], stream: [{ streamId: 's', data: [1, 2] }] },
    /"time" has 1 entries, but "data" has 2/,
  )
  check({ componentId: 'a', stream: [{ streamId: 's', data: [1, 2] }] }, /required for 2 values/)
  check(
    { componentId: 'a', time: [1, 2.5], stream: [{ streamId: 's', data: [1, 2] }] },
    /stream 0, value 1: "time" must be/,
  )
})

test('findJsonFault() agrees with JSON.parse on what is JSON', () => {
  const texts = fc.oneof(
    fc.json(),
    fc
      .json()
      .chain((text) =>
        fc
          .tuple(
            fc.nat(text.length),
            fc.constantFrom(',', ']', '}', '"', '\\', 'e', '0', '-', ' ', ''),
          )
          .map(([at, what]) => text.slice(0, at) + what + text.slice(at + 1)),
      ),
    fc.string({ maxLength: 8, unit: fc.constantFrom(...'[]{}",:0-1.e\\untrue ') }),
  )
  fc.assert(
    fc.property(texts, (text) => {
      const fault = findJsonFault(Buffer.from(text))
      let isJson = true
      try {
        JSON.parse(text)
      } catch {
        isJson = false
      }
      assert.equal(fault === undefined, isJson, `${text} ${JSON.stringify(fault)}`)
    }),
    { numRuns: roundsOf(3_000) },
  )
})

test('findJsonFault() stops at nesting that no feed needs', () => {
  const deep = (levels: number) => Buffer.from('['.repeat(levels) + ']'.repeat(levels))
  assert.equal(findJsonFault(deep(64)), undefined)
  assert.deepEqual(findJsonFault(deep(65)), {
    position: 64,
    what: 'nested deeper than 64 levels',
  })
  assert.equal(findJsonFault(deep(1_000_000))?.position, 64)
})

test('findJsonFault() stops at more values than JSON.parse could hold', () => {
  assert.equal(findJsonFault(Buffer.from('[1,{"a":[]}]'), 4), undefined)
  assert.deepEqual(findJsonFault(Buffer.from('[1,{"a":[]},5]'), 4), {
    position: 13,
    what: 'more than 4 values. Split the request',
  })
})

test('readJsonSamples() reads long bodies in slices, and unusual ones in a worker, alike', async () => {
  const list = Array.from({ length: 30_000 }, (_, index) => ({
    compId: `c${index % 7}`,
    streamId: index % 5 === 0 ? 'é' : 's',
    data: index % 11 === 0 ? `t${index}` : index / 8,
    time: 1_700_000_000_000 + index,
  }))
  const usual = Buffer.from(JSON.stringify(list))
  const unusual = Buffer.from(JSON.stringify(list.map((one) => ({ ...one, note: {} }))))
  assert.ok(usual.length > 1_500_000)
  const expected = understood(readParsedJson(usual))
  // A difference among 30,000 samples would take minutes to print.
  for (const body of [usual, unusual]) {
    const samples = understood(
      await readJsonSamples(body, { cache: cacheOf([]), orgUid: 'o', createMax: 200_000 }),
    )
    assert.ok(isDeepStrictEqual(samples, expected))
  }
  const broken = unusual.subarray(0, unusual.length - 1)
  await assert.rejects(
    async () => readJsonSamples(broken, { cache: cacheOf([]), orgUid: 'o', createMax: 200_000 }),
    {
      code: 'bad_json',
      message: `Cannot read the body as JSON: unexpected end of text at position ${broken.length}`,
    },
  )
})

test('readJsonSamples() keeps bodies apart that are read at the same time', async () => {
  const cache = new StreamCache({
    generation: 0,
    keepsDigits: () => true,
    resolve: (org, compId) => (Number(compId.slice(1)) + (org === 'o' ? 1 : 101)) as StreamHandle,
  })
  const bodyOf = (count: number, first: number) =>
    Buffer.from(
      JSON.stringify(
        Array.from({ length: count }, (_, index) => ({
          compId: `c${(first + index) % 7}`,
          streamId: 's',
          time: 1_700_000_000_000 + index,
          data: index / 4,
        })),
      ),
    )
  const check = (samples: IncomingSamples, count: number, first: number) => {
    assert.equal(samples.count, count)
    const wrong = samples.handles
      .subarray(0, count)
      .findIndex((handle, index) => handle !== first + ((first + index) % 7))
    assert.equal(wrong, -1)
    assert.equal(samples.numbers[count - 1], (count - 1) / 4)
    assert.equal(samples.times[count - 1], 1_700_000_000_000 + count - 1)
  }
  const long = readJsonSamples(bodyOf(20_000, 1), { cache, orgUid: 'o', createMax: 200_000 })
  const otherLong = readJsonSamples(bodyOf(15_000, 101), { cache, orgUid: 'p', createMax: 200_000 })
  const short = readJsonSamples(bodyOf(3, 1), { cache, orgUid: 'o', createMax: 200_000 })
  assert.ok(long instanceof Promise && otherLong instanceof Promise)
  assert.ok(!(short instanceof Promise))
  check(short, 3, 1)
  check(await otherLong, 15_000, 101)
  check(await long, 20_000, 1)
})

test('readJsonSamples() refuses more samples than a call may bring, and skips a byte order mark', async () => {
  const one = '{"compId":"a","streamId":"s","data":1,"time":1}'
  const body = Buffer.from(`\ufeff[${one}]`)
  assert.equal(
    (await readJsonSamples(body, { cache: cacheOf([]), orgUid: 'o', createMax: 200_000 })).count,
    1,
  )
  const short = one.replace(',"time":1', '')
  const many = Buffer.from(`[${`${short},`.repeat(1_000_000)}${short}]`)
  await assert.rejects(
    async () => readJsonSamples(many, { cache: cacheOf([]), orgUid: 'o', createMax: 200_000 }),
    {
      code: 'too_many_samples',
    },
  )
})

test('readJsonSamples() stops at the first missing stream beyond those that a call may create', async () => {
  const sampleOf = (at: number) => ({ compId: `c${at}`, streamId: 's', data: at, time: 1 })
  const bodyOf = (streams: number) => {
    const list = Array.from({ length: 3 * streams }, (_, at) => sampleOf(at % streams))
    return Buffer.from(JSON.stringify(list))
  }
  const from = { cache: cacheOf([]), orgUid: 'o', createMax: 50 }
  assert.equal((await readJsonSamples(bodyOf(50), from)).open.length, 50)
  await assert.rejects(async () => readJsonSamples(bodyOf(51), from), {
    code: 'bad_input',
    message: /Cannot create more than 50 streams in one request. Split the request/,
  })
})

test('readJsonSamples() refuses a body as too large when reading it takes more memory than there is', async () => {
  const share = await new MemoryBudget(24_000_000).take(4_000_000)
  const component = Array.from({ length: 40_000 }, (_, at) => ({
    componentId: `d${at}`,
    stream: [{ streamId: 'temp', time: [at], data: [1] }],
  }))
  const body = Buffer.from(JSON.stringify({ feed: { component } }))
  const held = { share, freeBody: () => {} }
  const source = { cache: cacheOf([]), orgUid: 'o', createMax: 200_000 }
  await assert.rejects(async () => readJsonSamples(body, source, held), {
    code: 'body_too_large',
    status: 413,
    message: /more memory than one request may use. Split the request/,
  })
})
