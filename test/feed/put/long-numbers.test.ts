/** Numbers with more digits than a double has, through every form of a put. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../../src/base/index.ts'
import { anyFeed, type FeedHome, openFeedHome } from '../../support/feed-home.ts'
import { Random, testSeeds } from '../../support/random.ts'

/** Beyond this a body that is not plain is read by another thread. */
const INLINE_BYTES = 1024 * 1024

/** Puts values, each the text of a JSON value, to a stream at the times 0, 1, …. */
type Put = (home: FeedHome, stream: string, values: readonly string[]) => Promise<string>

const putText = (home: FeedHome, text: string) =>
  home.calls.put(anyFeed, '', Buffer.from(text), { warn: () => {} })

const samplesText = (stream: string, values: readonly string[], more = '') =>
  values
    .map(
      (value, at) =>
        `{"compId":"c","streamId":"${stream}","data":${value},"time":${TIME + at}${more}}`,
    )
    .join(',')

const TIME = 1_700_000_000_000

const forms: Readonly<Record<string, Put>> = {
  'array, plain': (home, stream, values) => putText(home, `[${samplesText(stream, values)}]`),
  'array, time first': (home, stream, values) => {
    const row = (value: string, at: number) =>
      `{"compId":"c","streamId":"${stream}","time":${TIME + at},"data":${value}}`
    return putText(home, `[${values.map(row).join(',')}]`)
  },
  'array, with white space': (home, stream, values) =>
    putText(home, `[ ${samplesText(stream, values).replaceAll(',"', ', "')} ]`),
  'array, with another field': (home, stream, values) =>
    putText(home, `[${samplesText(stream, values, ',"more":[1]')}]`),
  'array, read by a worker': (home, stream, values) => {
    const more = `,"more":"${'x'.repeat(INLINE_BYTES)}"`
    const [first, ...rest] = values
    const head = samplesText(stream, [first], more)
    const tail = rest.map((value, at) =>
      samplesText(stream, [value]).replace(`${TIME}`, `${TIME + 1 + at}`),
    )
    return putText(home, `[${[head, ...tail].join(',')}]`)
  },
  batch: (home, stream, values) => {
    const times = values.map((_, at) => TIME + at)
    const list = `{"streamId":"${stream}","time":[${times}],"data":[${values}]}`
    return putText(home, `{"feed":{"component":[{"componentId":"c","stream":[${list}]}]}}`)
  },
  url: (home, stream, values) => {
    const times = values.map((_, at) => TIME + at)
    const texts = values.map((value) => encodeURIComponent(value))
    return home.put(`compId=c&${stream}=${texts}&time=${times}`)
  },
}

const exact = [
  '1',
  '12345678901234567890.123456789',
  '0.10000000000000000000000001',
  '-9007199254740993',
  '123456789012345678901234567890',
  '1e-400',
  '1e400',
  '4.9e-324',
]
const shown = exact.map((text) => (/e/.test(text) ? undefined : text))

async function refusedText(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => assert.fail('was not refused'),
    (cause: unknown) => cause,
  )
  assert.ok(error instanceof Refusal && error.status === 400, String(error))
  return error.message
}

for (const [form, put] of Object.entries(forms)) {
  test(`put(), ${form}: a BIG_DECIMAL keeps every digit of a number without quotes`, async (t) => {
    const home = await openFeedHome({ d: { valueType: 'BIG_DECIMAL' } })
    t.after(() => home.close())
    for (let round = 0; round < 2; round += 1) {
      await put(home, 'd', exact)
      const stored = (await home.get('d')).reverse().map(({ data }) => data)
      for (const [at, text] of shown.entries()) {
        if (text !== undefined) assert.equal(stored[at], text, `${form}: ${exact[at]}`)
      }
      assert.equal(stored[5], `0.${'0'.repeat(399)}1`)
      assert.equal(stored[6], `1${'0'.repeat(400)}`)
      assert.equal(stored[7], `0.${'0'.repeat(323)}49`)
    }
  })

  test(`put(), ${form}: a LONG takes whole numbers exactly and refuses all others`, async (t) => {
    const home = await openFeedHome({ l: { valueType: 'LONG' } })
    t.after(() => home.close())
    const good = ['9007199254740991', '-9007199254740991', '5.0000000000000000000', '12e3']
    await put(home, 'l', good)
    const stored = (await home.get('l')).reverse().map(({ data }) => data)
    assert.deepEqual(stored, [9007199254740991, -9007199254740991, 5, 12_000])
    for (const bad of [
      '9007199254740990.5',
      '9007199254740992',
      '9007199254740993',
      '5.00000000000000000001',
      '1e-400',
      '1e400',
    ]) {
      const message = await refusedText(put(home, 'l', ['1', bad]))
      assert.match(message, /must be an integer from -9007199254740991 to 9007199254740991/)
    }
    assert.equal((await home.get('l')).length, good.length)
  })

  test(`put(), ${form}: a DOUBLE takes the nearest double, a text the digits`, async (t) => {
    const home = await openFeedHome({ x: { valueType: 'DOUBLE' }, t: { valueType: 'STRING' } })
    t.after(() => home.close())
    const values = ['21.299999237060547', '0.1000000000000000055511', '9007199254740993', '1e-400']
    for (const stream of ['x', 'made']) {
      await put(home, stream, values)
      const stored = (await home.get(stream)).reverse().map(({ data }) => data)
      assert.deepEqual(stored, values.map(Number), stream)
    }
    assert.match(await refusedText(put(home, 'x', ['1e400'])), /must be a finite number.*1e400/)
    assert.match(await refusedText(put(home, 'fresh', ['1e400'])), /must be a finite number/)
    await put(home, 't', ['0.1000000000000000055511'])
    assert.deepEqual(await home.get('t'), [{ time: TIME, data: '0.1000000000000000055511' }])
  })
}

test('put() answers a requested BIG_DECIMAL with all its digits', async (t) => {
  const home = await openFeedHome({ d: { valueType: 'BIG_DECIMAL' } })
  t.after(() => home.close())
  const answer = await home.put('compId=c&d=12345678901234567890.5&rsid=d')
  assert.equal(answer, '{"d":"12345678901234567890.5"}')
})

test('put() of random long numbers agrees in every form', async (t) => {
  for (const seed of testSeeds(1)) {
    const random = new Random(seed)
    const digits = (count: number) =>
      Array.from({ length: count }, () => random.integer(0, 9)).join('')
    const values = Array.from({ length: 60 }, () => {
      const whole =
        random.next() < 0.3 ? '0' : `${random.integer(1, 9)}${digits(random.integer(0, 20))}`
      const fraction = random.next() < 0.7 ? `.${digits(random.integer(1, 24))}` : ''
      const exponent = random.next() < 0.2 ? `e${random.integer(-30, 30)}` : ''
      return `${random.next() < 0.3 ? '-' : ''}${whole}${fraction}${exponent}`
    })
    const seen = new Map<string, unknown>()
    for (const [form, put] of Object.entries(forms)) {
      const home = await openFeedHome({ d: { valueType: 'BIG_DECIMAL' } })
      t.after(() => home.close())
      await put(home, 'd', values)
      seen.set(
        form,
        (await home.get('d')).map(({ data }) => data),
      )
    }
    for (const [form, stored] of seen) {
      assert.deepEqual(stored, seen.get('url'), `seed ${seed}: ${form} differs from url`)
    }
  }
})
