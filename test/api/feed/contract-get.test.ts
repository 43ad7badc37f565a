/** Walks through contract 4.3, 4.4, 4.5 and their fine print as a program that reads would. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService } from '../../support/service.ts'
import { Caller } from './client.ts'

let service: Awaited<ReturnType<typeof startService>>
let reader: Caller

before(async () => {
  service = await startService()
  reader = new Caller(service.url, service.feedKey)
  const times = Array.from({ length: 1500 }, (_, index) => 1_000_000 + index * 1000)
  const samples = times.map((time, index) => ({ compId: 'C', streamId: 's', data: index, time }))
  await reader.putJson(samples)
  await reader.putJson([
    { compId: 'C', streamId: 't', data: 'one', time: 1000 },
    { compId: 'C', streamId: 't', data: 'two', time: 2000 },
  ])
})
after(() => service.close())

test('sd is inclusive, ed exclusive; the latest come first; limit counts from the latest', async () => {
  const range = await reader.get('/comp/C/stream/s/feed?sd=1000000&ed=1003000')
  assert.deepEqual(
    range.map((sample) => sample.data),
    [2, 1, 0],
  )
  assert.equal((await reader.get('/comp/C/stream/s/feed')).length, 1000)
  assert.equal((await reader.get('/comp/C/stream/s/feed?limit=5000')).length, 1000)
  const latest = await reader.get('/comp/C/stream/s/feed?limit=2')
  assert.deepEqual(
    latest.map((sample) => sample.data),
    [1499, 1498],
  )
  assert.equal((await reader.get('/comp/C/stream/s/feed?ed=1002000&limit=1'))[0].data, 1)
  assert.deepEqual(await reader.get('/comp/C/stream/s/feed?sd=1000000&ed=1000000'), [])
})

test('limit is spent on the first stream before the second gets any', async () => {
  const all = await reader.get('/comp/C/feed?retStreamId')
  assert.ok(all.every((sample) => sample.streamId === 's'))
  const some = await reader.get('/comp/C/feed?retStreamId&sd=0&ed=1002000')
  assert.deepEqual(
    some.map((sample) => [sample.streamId, sample.data]),
    [
      ['s', 1],
      ['s', 0],
      ['t', 'two'],
      ['t', 'one'],
    ],
  )
})

test('flags add their fields in a fixed order; false and 0 switch them off', async () => {
  const path = '/comp/C/stream/t/last_value'
  const answer = await reader.call('GET', `${path}?retCompId&retStreamId=true&retFData&retUnit=1`)
  assert.equal(
    answer.text,
    '[{"compId":"C","streamId":"t","time":2000,"data":"two","fData":"two","unit":""}]',
  )
  const off = await reader.call('GET', `${path}?retCompId=false&retStreamId=0`)
  assert.equal(off.text, '[{"time":2000,"data":"two"}]')
})

test('what is wrong in a query is refused', async () => {
  for (const query of [
    'sd=1',
    'sd=2&ed=1',
    'limit=0',
    'limit=-1',
    'limit=x',
    'ed=x',
    'sd=x&ed=1',
  ]) {
    await reader.refused(400, 'GET', `/comp/C/feed?${query}`)
  }
  await reader.refused(404, 'GET', '/comp/Nowhere/feed')
  await reader.refused(404, 'GET', '/comp/C/stream/nothing/feed')
  await reader.refused(404, 'GET', '/comp/Nowhere/last_value')
})

test('IDs of any script, with slashes, commas and spaces, are reached percent-encoded', async () => {
  for (const id of ['a/b', 'a,b', 'a b', 'a:b[0]', '温度', '🚰', 'a%2Fb', 'x'.repeat(512)]) {
    const encoded = encodeURIComponent(id)
    await reader.put(`compId=${encoded}&${encoded}=1&time=1000`)
    const path = `/comp/${encoded}/stream/${encoded}/feed?retCompId&retStreamId`
    assert.deepEqual(await reader.get(path), [{ compId: id, streamId: id, time: 1000, data: 1 }])
  }
  await reader.refused(400, 'PUT', `/feed?compId=${'x'.repeat(513)}&a=1`)
})

test('properties are read by flag and set together or one at a time', async () => {
  assert.deepEqual(await reader.get('/comp/C/property'), [
    { message: '', component: {}, success: true },
  ])
  const set = (component: unknown) =>
    reader.call('POST', '/comp/C/property', {
      body: JSON.stringify([{ component }]),
      headers: { 'content-type': 'application/json' },
    })
  assert.equal(
    (await set({ name: 'Cellar', description: 'Below' })).text,
    '[{"success":true,"message":""}]',
  )
  assert.deepEqual(await reader.get('/comp/C/property?name&description'), [
    { message: '', component: { name: 'Cellar', description: 'Below' }, success: true },
  ])
  assert.equal((await set({ description: '' })).status, 200)
  assert.deepEqual(await reader.get('/comp/C/property?name&description'), [
    { message: '', component: { name: 'Cellar', description: '' }, success: true },
  ])
  assert.equal((await set({ name: 5 })).status, 400)
  assert.equal((await set({ nickname: 'x' })).status, 400)
})

test('a credential is needed, in the URL or as a cookie, also written tightly', async () => {
  const url = `${service.url}/api/comp/C/last_value`
  assert.equal((await fetch(url)).status, 401)
  assert.equal((await fetch(`${url}?api_key=${service.feedKey.replace(/./g, '0')}`)).status, 401)
  assert.equal((await fetch(`${url}?org=${service.orgUid}`)).status, 401)
  const cookie = `org=${service.orgUid};api_key=${service.feedKey}`
  assert.equal((await fetch(url, { headers: { cookie } })).status, 200)
  const wrongUrlKey = `${url}?api_key=wrong`
  assert.equal((await fetch(wrongUrlKey, { headers: { cookie } })).status, 401)
})

test('a parameter that is not known is ignored, even one that cannot be decoded', async () => {
  for (const junk of ['_=1700', 'note=50%', '%zz', 'x=%ff']) {
    assert.equal((await reader.get(`/comp/C/stream/t/feed?${junk}&limit=1`)).length, 1, junk)
    assert.equal((await reader.get(`/comp/C/last_value?${junk}`)).length, 2, junk)
    assert.equal((await reader.get(`/comp/C/cycle/day/stat/max/feed?${junk}`)).length, 2, junk)
    assert.equal((await reader.get(`/comp/C/property?${junk}`)).length, 1, junk)
  }
  await reader.refused(400, 'GET', '/comp/C/feed?limit=%zz')
  await reader.refused(400, 'GET', '/comp/C/feed?ed=50%')
})

test('a number beyond any maximum counts as the maximum, however many digits it has', async () => {
  const huge = '9'.repeat(400)
  const path = '/comp/C/stream/s/feed'
  assert.equal((await reader.get(`${path}?limit=${huge}`)).length, 1000)
  assert.equal((await reader.get(`${path}?limit=9223372036854775807`)).length, 1000)
  assert.equal((await reader.get(`${path}?sd=0&ed=9223372036854775807&limit=3`)).length, 3)
  assert.equal((await reader.get(`${path}?sd=-${huge}&ed=${huge}&limit=3`)).length, 3)
  const stat = '/comp/C/stream/s/cycle/hour/stat/nongapcount/feed'
  assert.equal((await reader.get(`${stat}?sd=-${huge}&ed=${huge}`))[0].data, 1500)
  await reader.put(`compId=C&t=three&time=3000&derMaxS=${huge}&derTout=9223372036854775807`)
  await reader.refused(400, 'GET', `${path}?limit=-${huge}`)
  await reader.refused(400, 'PUT', `/feed?compId=C&t=x&derMaxS=-${huge}`)
})
