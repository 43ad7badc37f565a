/** Interval and point streams, templates, units and statistics, as a user sets them up and reads them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService } from '../../support/service.ts'
import { Caller } from './client.ts'

const HOUR = 3_600_000
const NOON = Date.UTC(2024, 2, 9, 12)

let service: Awaited<ReturnType<typeof startService>>
let device: Caller
let session: string

before(async () => {
  service = await startService({ settings: { WEIR_OWNER_TIME_ZONE: 'America/New_York' } })
  device = new Caller(service.url, service.feedKey)
  const signIn = { email: service.ownerEmail, password: service.ownerPassword }
  const login = await fetch(`${service.url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(signIn),
  })
  session = ((await login.json()) as { sessionUid: string }).sessionUid
})
after(() => service.close())

/** Inserts a record as the owner and answers it as stored. */
async function insert(noun: string, record: Record<string, unknown>) {
  const response = await fetch(`${service.url}/api/${noun}?session=${session}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ [noun]: record }),
  })
  const body = (await response.json()) as Record<string, Record<string, unknown>>
  assert.equal(response.status, 200, JSON.stringify(body))
  return body[noun]
}

const hourly = {
  id: 'kwh',
  streamType: 'intvl_stream',
  valueType: 'DOUBLE',
  baseCycle: { id: 'hour' },
}

test('a sample of an interval stream is reported at the end of its interval, with its start', async () => {
  await insert('component', { id: 'Meter', stream: [hourly] })
  await device.put(`compId=Meter&kwh=1,2&time=${NOON + 1},${NOON + 2 * HOUR}`)
  const path = '/comp/Meter/stream/kwh/feed?retIntvlSd'
  const expected = [
    { time: NOON + 2 * HOUR, data: 2, sdTime: NOON + HOUR },
    { time: NOON + HOUR, data: 1, sdTime: NOON },
  ]
  assert.deepEqual(await device.get(path), expected)
  const putBack = expected.map(({ time, data }) => ({
    compId: 'Meter',
    streamId: 'kwh',
    time,
    data,
  }))
  await device.putJson(putBack)
  assert.deepEqual(await device.get(path), expected)
})

test('gaps are nulls inside the range; autofill overwrites between first and last, or keeps', async () => {
  await insert('component', { id: 'Gaps', stream: [hourly] })
  const at = (hour: number) => NOON + hour * HOUR
  const values = async () =>
    (await device.get('/comp/Gaps/stream/kwh/feed')).map((sample) => sample.data).reverse()
  await device.put(`compId=Gaps&kwh=1,2,3,4&time=${at(1)},${at(2)},${at(3)},${at(4)}`)
  await device.put(`compId=Gaps&kwh=10,40&time=${at(1)},${at(4)}&autofillGapsWithNulls=false`)
  assert.deepEqual(await values(), [10, 2, 3, 40])
  await device.put(`compId=Gaps&kwh=11,41&time=${at(1)},${at(4)}`)
  assert.deepEqual(await values(), [11, null, null, 41])
  await device.put(`compId=Gaps&kwh=7,&time=${at(2)},${at(4)}&autofillGapsWithNulls=false`)
  assert.deepEqual(await values(), [11, 7])
  assert.equal((await device.get('/comp/Gaps/stream/kwh/last_value'))[0].data, 7)
})

test('a day of the spring change has 23 hours, and a month of days has exactly its days', async () => {
  const start = Date.UTC(2024, 2, 1, 5)
  const end = Date.UTC(2024, 3, 1, 4)
  await insert('component', { id: 'March', timeZoneId: 'America/New_York', stream: [hourly] })
  const samples: unknown[] = []
  for (let time = start + HOUR; time <= end; time += HOUR) {
    samples.push({ compId: 'March', streamId: 'kwh', time, data: 1 })
  }
  await device.putJson(samples)
  const day = (stat: string) =>
    device.get(
      `/comp/March/stream/kwh/cycle/day/stat/${stat}/feed?sd=${start}&ed=${end}&retIntvlSd`,
    )
  const sums = await day('sum')
  assert.equal(sums.length, 31)
  const changed = sums.find((sample) => sample.sdTime === Date.UTC(2024, 2, 10, 5))
  assert.deepEqual(changed, {
    time: Date.UTC(2024, 2, 11, 4),
    data: 23,
    sdTime: Date.UTC(2024, 2, 10, 5),
  })
  const lengths = (await day('milliseccount')).map((sample) => Number(sample.data) / HOUR)
  assert.deepEqual([...new Set(lengths)].sort(), [23, 24])
  assert.ok((await day('gapcount')).every((sample) => sample.data === 0))
  const [month] = await device.get('/comp/March/cycle/month/stat/avg/last_value?retIntvlSd')
  assert.deepEqual(month, { time: end, data: 1, sdTime: start })
})

test('a random stream has the arithmetic mean, and empty periods are left out', async () => {
  const at = [Date.UTC(2024, 0, 1), Date.UTC(2024, 0, 1) + 1, Date.UTC(2024, 0, 3)]
  await device.put(`compId=Rnd&v=1,2,9&time=${at.join()}`)
  const path = (stat: string) => `/comp/Rnd/stream/v/cycle/day/stat/${stat}/feed`
  assert.deepEqual(
    (await device.get(path('avg'))).map((sample) => sample.data),
    [9, 1.5],
  )
  assert.equal((await device.get(path('maxoccurrence')))[1].data, at[1])
  assert.match(await device.refused(404, 'GET', path('median')), /maxoccurrence/)
  assert.match(
    await device.refused(404, 'GET', '/comp/Rnd/cycle/fortnight/stat/avg/feed'),
    /quarter/,
  )
})

test('a point stream keeps the newest by arrival, whatever the range', async () => {
  const point = { id: 'p', streamType: 'point_stream', valueType: 'LONG' }
  await insert('component', { id: 'Point', stream: [point] })
  await device.put('compId=Point&p=1')
  await device.put('compId=Point&p=2')
  const all = await device.get('/comp/Point/stream/p/feed?sd=0&ed=1')
  assert.equal(all.length, 1)
  assert.equal(all[0].data, 2)
})

test('a unit shows in unit and fData, glued as it is written', async () => {
  const unit = await insert('unit', {
    id: 'usd',
    name: 'Dollar',
    symbol: '$',
    symbolLocation: 'BEFORE',
    numberFormat: '0,000.00',
  })
  const stream = { id: 'cost', valueType: 'DOUBLE', unit: { uid: unit.uid } }
  await insert('component', { id: 'Priced', stream: [stream] })
  await device.put('compId=Priced&cost=1234.5&time=1000')
  assert.deepEqual(await device.get('/comp/Priced/last_value?retFData&retUnit'), [
    { time: 1000, data: 1234.5, fData: '$1,234.50', unit: '$' },
  ])
})

test('components come from a template, streams from a stream of one, in the folder asked for', async () => {
  await insert('component_template', { id: 'meter', name: 'Meter', stream: [hourly] })
  const folder = encodeURIComponent('/Components/Hall 1')
  await device.put(
    `compId=T1&compTmplId=meter&compName=First&folder=${folder}&kwh=5&time=${NOON + 1}`,
  )
  assert.equal((await device.get('/comp/T1/last_value'))[0].time, NOON + HOUR)
  const [property] = await device.get('/comp/T1/property?name')
  assert.deepEqual(property.component, { name: 'First' })
  await device.put(`compId=T2&dtId=meter&dsId=kwh&other=5&time=${NOON + 1}`)
  assert.equal((await device.get('/comp/T2/stream/other/last_value'))[0].time, NOON + HOUR)
  await device.put(`compId=T1&compTmplId=unknown&kwh=6&time=${NOON + 1}`)
})

test('a deleted range is gone from samples and statistics alike', async () => {
  await device.put('compId=Del&v=1,2,3&time=1000,2000,3000')
  await device.refused(403, 'DELETE', '/comp/Del/stream/v/feed?sd=2000&ed=3000')
  const url = `${service.url}/api/comp/Del/stream/v/feed?sd=2000&ed=3000&session=${session}`
  assert.equal((await fetch(url, { method: 'DELETE' })).status, 200)
  assert.deepEqual(
    (await device.get('/comp/Del/stream/v/feed')).map((sample) => sample.data),
    [3, 1],
  )
  assert.equal((await device.get('/comp/Del/stream/v/cycle/year/stat/sum/feed'))[0].data, 4)
})
