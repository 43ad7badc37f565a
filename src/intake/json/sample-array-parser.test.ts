import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyCharacter, fc } from '../../../test/support/fast-check.ts'
import { cacheOf, understood } from '../../../test/support/json-bodies.ts'
import { roundsOf } from '../../../test/support/random.ts'
import { isShownBy, VALUE_LONG_NUMBER } from '../../feed/index.ts'
import { readParsedJson } from './parsed-json.ts'
import { SampleArrayParser } from './sample-array-parser.ts'

/** Reads a body by the byte parser alone. */
function parseQuickly(body: string, known: readonly string[] = []): unknown[] | undefined {
  const cache = cacheOf(known)
  const parser = new SampleArrayParser(Buffer.from(body), {
    cache,
    orgUid: 'o',
    createMax: 200_000,
  })
  let step = parser.step(64)
  while (step === 'more') step = parser.step(64)
  return step === 'done' ? understood(parser.samples, known) : undefined
}

const ids = fc.oneof(
  fc.constantFrom('a', 'b', 'boiler 1', 'x/y:[0]', 'ö😀', ' ', ''),
  fc.string({ maxLength: 5, unit: anyCharacter }),
)
const data = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom('72.5', 'NaN', '', 'ü', 'a"b\\', '\ud800', true, false, null, -0, 5e-324),
  fc.constantFrom([1], {}, undefined),
)
const times = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 2_000_000_000_000 }) },
  fc.constantFrom(undefined, null, 1.5, 1e300, -1e13, '5', '1700000000000', '1.5', -5),
)
const sample = fc.record(
  { compId: ids, streamId: ids, data, time: times, other: fc.anything() },
  { requiredKeys: ['compId', 'streamId', 'data', 'time'] },
)
const usualSample = fc.record({
  compId: fc.constantFrom('a', 'b', 'ö😀 x'),
  streamId: fc.constantFrom('s', 't', 'u/v'),
  data: fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom('x', 'é', null),
  ),
  time: fc.integer({ min: 0, max: 2_000_000_000_000 }),
})

const spaced = (value: unknown, indent: number) => JSON.stringify(value, null, indent)

/** As Python and PHP write JSON: all that is not ASCII as escapes, and some of what need not be. */
function escaped(value: unknown, indent: number): string {
  const spell = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return spaced(value, indent)
    .replace(/[\u0080-\uffff]/g, spell)
    .replaceAll('/', '\\/')
}

const writers = fc.constantFrom(spaced, escaped)

/** Streams that the cache knows. */
const known = ['o/a/s', 'o/b/t', 'o/ö😀 x/u/v']

test('SampleArrayParser reads what the reference reader reads, whatever the body holds', () => {
  fc.assert(
    fc.property(fc.array(sample, { maxLength: 5 }), writers, fc.nat(2), (list, write, indent) => {
      const body = write(list, indent)
      const quick = parseQuickly(body, known)
      // Whatever the byte parser does not take is judged by the reference reader alone.
      if (quick === undefined) return
      assert.deepEqual(quick, understood(readParsedJson(Buffer.from(body))))
    }),
    { numRuns: roundsOf(4_000) },
  )
})

test('SampleArrayParser takes ordinary bodies by itself, equal to the reference reader', () => {
  fc.assert(
    fc.property(fc.array(usualSample, { maxLength: 20 }), fc.nat(2), (list, indent) => {
      const body = spaced(list, indent)
      const quick = parseQuickly(body, known)
      assert.deepEqual(quick, understood(readParsedJson(Buffer.from(body))))
    }),
    { numRuns: roundsOf(1_000) },
  )
})

test('SampleArrayParser takes bodies with escapes by itself, and finds the streams that they name', () => {
  const texts = fc.constantFrom('a "b" \\ c', 'ü\n\t', '😀', '\0', '1/2', 'x')
  const escapedSample = fc.record({
    compId: fc.constantFrom('a', 'b', 'ö😀 x', 'ü'),
    streamId: fc.constantFrom('s', 't', 'u/v', 'Küche'),
    data: fc.oneof(fc.integer(), texts),
    time: fc.integer({ min: 0, max: 2_000_000_000_000 }),
  })
  fc.assert(
    fc.property(fc.array(escapedSample, { maxLength: 20 }), fc.nat(2), (list, indent) => {
      const body = escaped(list, indent)
      assert.deepEqual(parseQuickly(body, known), understood(readParsedJson(Buffer.from(body))))
    }),
    { numRuns: roundsOf(500) },
  )
  const found = new SampleArrayParser(
    Buffer.from(escaped([{ compId: 'ö😀 x', streamId: 'u/v', data: 1, time: 5 }], 0)),
    { cache: cacheOf(known), orgUid: 'o', createMax: 0 },
  )
  assert.equal(found.step(1_000), 'done')
  assert.deepEqual([...found.samples.handles.subarray(0, 1)], [3])
  // Of a field that is there twice the last one counts, as JSON.parse has it.
  const twice = String.raw`[{"compId":"a","compId":"\u0062","streamId":"\u0073","streamId":"t","data":"\u0061","data":5}]`
  assert.deepEqual(parseQuickly(twice, known), understood(readParsedJson(Buffer.from(twice))))
})

test('SampleArrayParser leaves strange escapes to the reference reader', () => {
  const inId = (text: string) =>
    parseQuickly(
      `[{"compId":"a","streamId":"s","data":1},{"compId":"a","streamId":${text},"data":1}]`,
    )
  const inData = (text: string) => parseQuickly(`[{"compId":"a","streamId":"s","data":${text}}]`)
  // No JSON, half of a pair, no end, too long to look at here.
  const long = `"${'\\u0041'.repeat(3_000)}"`
  for (const no of ['"\\x41"', '"\\u12"', '"\\ud800"', '"\\', '"\\u00', long]) {
    assert.equal(inId(no), undefined, no)
    assert.equal(inData(no), undefined, no)
  }
  // What stands nowhere without an escape is strange in an ID only.
  for (const odd of ['"\\u0000"', '"a\\n"', '"a\\\\b"', '"a\\"b"']) {
    assert.equal(inId(odd), undefined, odd)
    assert.notEqual(inData(odd), undefined, odd)
  }
})

test('SampleArrayParser reads every number to the last bit', () => {
  const bits = fc.tuple(
    fc.boolean(),
    fc.bigInt(0n, 10n ** 22n),
    fc.nat(30),
    fc.integer({ min: -330, max: 310 }),
  )
  fc.assert(
    fc.property(bits, ([isNegative, digits, point, exponent]) => {
      const text = String(digits).padStart(point + 1, '0')
      const whole = text.slice(0, text.length - point)
      const token = `${isNegative ? '-' : ''}${whole}${point > 0 ? `.${text.slice(-point)}` : ''}`
      for (const number of [token, `${token}e${exponent}`, `${token}E+2`]) {
        const value = JSON.parse(number)
        const isShown = isShownBy(number, value)
        if (!Number.isFinite(value) || (Math.abs(value) < 2 ** -1022 && !isShown)) continue
        const body = `[{"compId":"a","streamId":"s","time":5,"data":${number}}]`
        const kept = isShown ? [0, value, undefined] : [VALUE_LONG_NUMBER, value, number]
        assert.deepEqual(parseQuickly(body), [['o/a/s', 5, ...kept]], number)
      }
    }),
    { numRuns: roundsOf(2_000) },
  )
})

test('SampleArrayParser leaves to the reference reader what it must not judge', () => {
  const check = (body: string) => assert.equal(parseQuickly(body), undefined, body)
  check('[{"compId":"a","streamId":"s","data":01}]')
  check('[{"compId":"a","streamId":"s","data":1.}]')
  check('[{"compId":"a","streamId":"s","data":-}]')
  check('[{"compId":"a","streamId":"s","data":1e999}]')
  check('[{"compId":"a","streamId":"s","data":[1]}]')
  check('[{"compId":"a","streamId":"s","data":1,"time":1.5}]')
  check('[{"compId":"a","streamId":"s"}]')
  check('[{"compId":"a","data":1}]')
  check('[{"compId":"a","streamId":"s","data":1},]')
  check('[{"compId":"a","streamId":"s","data":1}')
  check('[{"compId":"a","streamId":"s","data":1}]x')
  check('[{"compId":" ","streamId":"s","data":1}]')
  check('{"feed":{}}')
  check('')
})
