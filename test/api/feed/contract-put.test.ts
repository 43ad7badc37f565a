/** Walks through contract 4.1, 4.2 and open-points 5 and 14 as a device would, over real HTTP. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService } from '../../support/service.ts'
import { Caller } from './client.ts'

let service: Awaited<ReturnType<typeof startService>>
let device: Caller

before(async () => {
  service = await startService()
  device = new Caller(service.url, service.feedKey)
})
after(() => service.close())

test('the URL form stores one sample per stream at the upload time and answers an empty 200', async () => {
  const before = Date.now()
  const answer = await device.call('PUT', '/feed?compId=Boiler&temp=72.5&state=on')
  assert.equal(answer.status, 200)
  assert.equal(answer.text, '')
  assert.equal(answer.headers.get('content-type'), null)
  const [sample] = await device.get('/comp/Boiler/stream/temp/feed')
  assert.equal(sample.data, 72.5)
  assert.ok(Number(sample.time) >= before && Number(sample.time) <= Date.now() + 5)
  assert.deepEqual(Object.keys(sample), ['time', 'data'])
  assert.equal((await device.get('/comp/Boiler/stream/state/last_value'))[0].data, 'on')
})

test('time, timeEl and freq place lists of values, earliest first', async () => {
  await device.put('compId=Lists&a=1,2,3&time=1000,2000,3000')
  assert.deepEqual(await device.get('/comp/Lists/stream/a/feed'), [
    { time: 3000, data: 3 },
    { time: 2000, data: 2 },
    { time: 1000, data: 1 },
  ])
  await device.put('compId=Lists&f=1,2,3&freq=1000')
  const [last, middle, first] = await device.get('/comp/Lists/stream/f/feed')
  assert.equal(Number(last.time) - Number(middle.time), 1000)
  assert.equal(Number(middle.time) - Number(first.time), 1000)
  await device.put('compId=Lists&e=1,2&timeEl=5000,0')
  const [newer, older] = await device.get('/comp/Lists/stream/e/feed')
  assert.equal(Number(newer.time) - Number(older.time), 5000)
})

test('an encoded comma delimits too, and delim chooses another delimiter of any length', async () => {
  await device.put('compId=Delim&a=1%2C2&time=1000%2C2000')
  assert.equal((await device.get('/comp/Delim/stream/a/feed')).length, 2)
  await device.put('compId=Delim&b=1::2&time=1000::2000&delim=::')
  assert.equal((await device.get('/comp/Delim/stream/b/feed')).length, 2)
  await device.refused(400, 'PUT', '/feed?compId=Delim&a=1&delim=')
})

test('unnamed data goes to the streams in definition order and names new ones by position', async () => {
  await device.put('compId=Order&x=1&y=2')
  await device.put('compId=Order&data=10&data=20&data=30')
  const values = await device.get('/comp/Order/last_value?retStreamId')
  assert.deepEqual(
    values.map((sample) => [sample.streamId, sample.data]),
    [
      ['x', 10],
      ['y', 20],
      ['stream3', 30],
    ],
  )
})

test('rsid returns last values compactly, and names a stream that it created', async () => {
  assert.equal(await device.put('compId=Ask&a=1&b=on&rsid=a'), '{"a":1}')
  const answer = JSON.parse(await device.put('compId=Ask&a=2&rsid=b&rsid=lamp'))
  assert.equal(answer.b, 'on')
  assert.equal(answer.lamp, null)
  assert.deepEqual(answer.missing, [{ itemType: 'stream', itemId: 'lamp', componentId: 'Ask' }])
})

test('two quick PUTs without a time never overwrite each other', async () => {
  await Promise.all(Array.from({ length: 20 }, (_, index) => device.put(`compId=Quick&a=${index}`)))
  assert.equal((await device.get('/comp/Quick/stream/a/feed')).length, 20)
})

test('asPut turns a GET into the PUT; GET /feed alone is a 405', async () => {
  assert.equal((await device.call('GET', '/feed?compId=AsPut&a=5&asPut')).status, 200)
  assert.equal((await device.get('/comp/AsPut/last_value'))[0].data, 5)
  await device.refused(405, 'GET', '/feed?compId=AsPut&a=5')
})

test('the JSON form spans components and streams, and assigns missing times', async () => {
  await device.putJson([
    { compId: 'J1', streamId: 'a', data: 1.5, time: 1000 },
    { compId: 'J2', streamId: 'b', data: 'open', time: 1.7e12 },
    { compId: 'J1', streamId: 'c', data: true },
  ])
  assert.deepEqual(await device.get('/comp/J1/stream/a/feed'), [{ time: 1000, data: 1.5 }])
  assert.equal((await device.get('/comp/J2/last_value'))[0].time, 1.7e12)
  assert.equal((await device.get('/comp/J1/stream/c/last_value'))[0].data, 'true')
})

test('the batch form takes times of the component or of each stream', async () => {
  const feed = {
    feed: {
      component: [
        {
          componentId: 'Batch',
          defaults: { name: 'A batch' },
          time: [1000, 2000],
          stream: [
            { streamId: 'a', data: [1, 2] },
            { streamId: 'b', time: [5000], data: ['x'] },
          ],
        },
      ],
    },
  }
  await device.putJson(feed)
  assert.equal((await device.get('/comp/Batch/feed')).length, 3)
  const [property] = await device.get('/comp/Batch/property?name')
  assert.deepEqual(property.component, { name: 'A batch' })
})

test('an array body with one bad sample stores nothing, creates nothing and names the place', async () => {
  const body = JSON.stringify([
    { compId: 'Bad', streamId: 'a', data: 1, time: 1000 },
    { compId: 'Bad', streamId: 'a', data: 2, time: 1.5 },
  ])
  const message = await device.refused(400, 'PUT', '/feed', { body })
  assert.match(message, /1/)
  assert.match(message, /time/)
  await device.refused(404, 'GET', '/comp/Bad/feed')
})

test('what the contract forbids is refused with a message', async () => {
  const refuse = (query: string) => device.refused(400, 'PUT', `/feed?${query}`)
  await refuse('a=1')
  await refuse('compId=&a=1')
  await refuse('compId=No')
  await refuse('compId=No&rsid=a')
  await refuse('compId=No&time=1000')
  await refuse('compId=No&a=1&time=1000&freq=10')
  await refuse('compId=No&a=1&time=1000&timeEl=10')
  await refuse('compId=No&a=1&timeEl=10&freq=10')
  await refuse('compId=No&a=1,2')
  await refuse('compId=No&a=1,2&time=1000')
  await refuse('compId=No&a=1&b=1,2&time=1000')
  await refuse('compId=No&a=1&freq=0')
  await refuse('compId=No&a=1&time=12.5')
  await refuse('compId=No&a=1&time=99999999999999')
  await refuse('compId=No&a=1&derMaxS=-1')
  await refuse('compId=No&a=1&dtId=t')
  await refuse('compId=No&a=1&folder=/Elsewhere')
  await device.refused(404, 'PUT', '/feed?compId=No&a=1&compTmplId=unknown')
  await device.refused(404, 'GET', '/comp/No/feed')
})

test('text for a number is refused, text that is a number is not', async () => {
  await device.put('compId=Typed&a=1')
  await device.refused(400, 'PUT', '/feed?compId=Typed&a=warm')
  for (const data of ['"NaN1"', '1e999', '{}', '[1]']) {
    const body = `[{"compId":"Typed","streamId":"a","data":${data}}]`
    await device.refused(400, 'PUT', '/feed', { body })
  }
  await device.putJson([{ compId: 'Typed', streamId: 'a', data: '72.5', time: 1000 }])
  assert.equal((await device.get('/comp/Typed/stream/a/feed?sd=1000&ed=1001'))[0].data, 72.5)
})
