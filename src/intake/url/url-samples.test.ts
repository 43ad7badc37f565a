import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal, readQueryPairs } from '../../base/index.ts'
import { readPutOptions } from './read-put-options.ts'
import { readUrlSamples } from './url-samples.ts'

const UPLOAD_TIME = 1_700_000_000_000
const options = { uploadTime: UPLOAD_TIME, carrierNames: new Set(['api_key', 'asPut']) }

/** The lists of a URL put: stream (or data position) to values with times, '' for null. */
function lists(query: string): Record<string, unknown> {
  const { samples } = readUrlSamples(readQueryPairs(query), options)
  return Object.fromEntries(
    samples.open.map(({ streamId, position, samples: list }) => [
      streamId ?? `#${position}`,
      list.map((index) => [samples.times[index], samples.texts?.[index] ?? '']),
    ]),
  )
}

function refused(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    if (error instanceof Refusal && error.status === 400) return error.message
    throw error
  }
  return 'accepted'
}

const now = UPLOAD_TIME
const assigned = Number.NaN

test('readUrlSamples() reads streams by name and by order', () => {
  const check = (query: string, expected: Record<string, unknown>) =>
    assert.deepEqual(lists(query), expected, query)
  check('compId=c&temp=72.5', { temp: [[assigned, '72.5']] })
  check('&compId=c&&temp=1', { temp: [[assigned, '1']] })
  check('compId=c&data=1&data=2&temp=3', {
    '#0': [[assigned, '1']],
    '#1': [[assigned, '2']],
    temp: [[assigned, '3']],
  })
  check('compId=c&a+b%2Fc=x+y%2B', { 'a b/c': [[assigned, 'x y+']] })
  check('compId=c&COMPID=1&Time=2&_=3', {
    COMPID: [[assigned, '1']],
    Time: [[assigned, '2']],
    _: [[assigned, '3']],
  })
  check('compId=c&a&b=', { a: [[assigned, '']], b: [[assigned, '']] })
  check('api_key=k&asPut&compId=c&a=1&derMaxS', { a: [[assigned, '1']] })
})

test('readUrlSamples() decodes first, then splits by the delimiter, and pairs times with values', () => {
  const check = (query: string, expected: Record<string, unknown>) =>
    assert.deepEqual(lists(`compId=c&${query}`), expected, query)
  const pair = [
    [1, '1'],
    [2, '2'],
  ]
  check('a=1,2&time=1,2', { a: pair })
  check('a=1%2C2&time=1%2C2', { a: pair })
  check('a=1;;2&time=1;;2&delim=;;', { a: pair })
  check('a=1+2&time=1+2&delim=%20', { a: pair })
  check('a=1,,3&time=1,2,3', { a: [[1, '1'], [2, ''], [3, '3']] }) // biome-ignore format: one list
  check('a=x,y&timeEl=5000,0', { a: [[now - 5_000, 'x'], [now, 'y']] }) // biome-ignore format: one list
  check('a=x,y,z&b=1&freq=10', {
    a: [[now - 20, 'x'], [now - 10, 'y'], [now, 'z']], // biome-ignore format: one list
    b: [[now, '1']],
  })
  check('a=1&time=1.7e12', { a: [[1_700_000_000_000, '1']] })
  check('a=1&time=-5', { a: [[-5, '1']] })
})

test('readUrlSamples() refuses what it cannot place, naming the parameter', () => {
  const check = (query: string, expected: RegExp) =>
    assert.match(
      refused(() => readUrlSamples(readQueryPairs(query), options)),
      expected,
      query,
    )
  check('a=1', /"compId" is missing$/)
  check('compid=c&a=1', /"compId" is missing. "compid" was read as a stream ID. Write "compId"$/)
  check('a=1&COMPID=c', /"compId" is missing\. "COMPID" was read as a stream ID/)
  check('compId=&a=1', /"compId" must not be blank/)
  check('compId=c&compId=d&a=1', /"compId" is given twice/)
  check(`compId=${'x'.repeat(513)}&a=1`, /"compId" has 513 characters/)
  check(`compId=c&${'x'.repeat(513)}=1`, /more than 512 characters/)
  check('compId=c', /has no value/)
  check('compId=c&rsid=a', /has no value/)
  check('compId=c&time=5', /has no value/)
  check('compId=c&a=1&a=2', /Stream "a" is given twice/)
  check('compId=c&=1', /has no name/)
  check('compId=c&a=1&rsid=', /"rsid" must not be blank/)
  check('compId=c&a=1&delim=', /"delim" must not be empty/)
  check('compId=c&a=1,2', /"a" has 2 values. Send their times/)
  check('compId=c&data=1,2', /"data" has 2 values. Send their times/)
  check('compId=c&a=1,2&time=1', /"a" has 2 values for 1 times/)
  check('compId=c&a=1,2&b=1&time=1,2', /"b" has 1 values for 2 times/)
  check('compId=c&a=1&time=1&timeEl=1', /Only one of/)
  check('compId=c&a=1&time=1&freq=1', /Only one of/)
  check('compId=c&a=1&timeEl=1&freq=1', /Only one of/)
  check('compId=c&a=1&freq=0', /"freq" must be an integer number of milliseconds above 0/)
  check('compId=c&a=1&freq=-1', /"freq" must be/)
  check('compId=c&a=1&freq=x', /"freq" must be/)
  check('compId=c&a=1&freq=', /"freq" must be/)
  check('compId=c&a=1&timeEl=-1', /Value 0 of "timeEl" must be/)
  check('compId=c&a=1&timeEl=1.5', /Value 0 of "timeEl" must be/)
  check('compId=c&a=1&timeEl=9e14', /before 1900/)
  check('compId=c&a=1,2&time=1,2.5', /Value 1 of "time" must be integer epoch/)
  check('compId=c&a=1&time=', /Value 0 of "time" must be/)
  check('compId=c&a=1&time=NaN', /Value 0 of "time" must be/)
  check('compId=c&a=1&time=9214646400000', /Value 0 of "time" must be/)
  check('compId=c&a=1&time=-2208988800001', /Value 0 of "time" must be/)
  check('compId=c&a=50%', /Cannot decode the parameter "a=50%"/)
})

test('readUrlSamples() lists each requested stream once', () => {
  const put = readUrlSamples(readQueryPairs('compId=c&a=1&rsid=x&rsid=a&rsid=x'), options)
  assert.deepEqual(put.requestedStreamIds, ['x', 'a'])
})

test('readPutOptions() caps what is above a maximum and refuses what is no number', () => {
  const read = (query: string) => readPutOptions(readQueryPairs(query))
  const check = (query: string, streams: number, timeoutMs: number) => {
    const { deriveStreamsMax, deriveTimeoutMs } = read(query)
    assert.deepEqual([deriveStreamsMax, deriveTimeoutMs], [streams, timeoutMs], query)
  }
  check('', 0, 0)
  check('derMaxS&derTout', 20, 15_000)
  check('derMaxS=&derTout=', 20, 15_000)
  check('derMaxS=5&derTout=100', 5, 100)
  check('derMaxS=21&derTout=15001', 20, 15_000)
  for (const bad of ['derMaxS=-1', 'derMaxS=x', 'derTout=-1', 'derTout=1.5']) {
    assert.match(
      refused(() => read(bad)),
      /must be an integer of at least 0/,
      bad,
    )
  }
})

test('readPutOptions() fills gaps unless the option is off', () => {
  const check = (query: string, expected: boolean) =>
    assert.equal(readPutOptions(readQueryPairs(query)).isAutofill, expected, query)
  check('', true)
  check('autofillGapsWithNulls', true)
  check('autofillGapsWithNulls=true', true)
  check('autofillGapsWithNulls=false', false)
  check('autofillGapsWithNulls=0', false)
  check('autofillGapsWithNulls=False', false)
  check('autofillGapsWithNulls=TRUE', true)
  check('autofillGapsWithNulls=1', true)
  for (const bad of ['fasle', 'no', '00', '2']) {
    assert.match(
      refused(() => readPutOptions(readQueryPairs(`autofillGapsWithNulls=${bad}`))),
      /"autofillGapsWithNulls" must be true, false, 1 or 0, got/,
    )
  }
})
