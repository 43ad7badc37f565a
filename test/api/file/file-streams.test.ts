import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { ownerOf } from '../../support/catalog.ts'
import { callApi, countBodies, getJson, putFile } from '../../support/file-client.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const HOUR_MS = 3_600_000
const START = Date.UTC(2026, 0, 1, 10, 20)
const clock = new ManualClock(START)
const service = serviceOfFile({ clock })

before(async () => {
  const { catalog } = service.app
  const owner = ownerOf(service.orgUid)
  const hourly = { streamType: 'intvl_stream', baseCycle: { id: 'hour' } }
  await catalog.templates.insert(owner, {
    id: 'camera',
    stream: [
      { id: 'hourly', valueType: 'FILE', ...hourly },
      { id: 'untyped' },
      { id: 'number', valueType: 'DOUBLE' },
      { id: 'point', streamType: 'point_stream' },
    ],
  })
  await catalog.components.insert(owner, {
    id: 'fixed',
    stream: [
      { id: 'hourly', valueType: 'FILE', ...hourly },
      { id: 'untyped' },
      { id: 'point', streamType: 'point_stream' },
      { id: 'number', valueType: 'DOUBLE' },
      {
        id: 'derived',
        derivation: { expression: 'a', variables: [{ name: 'a', streamId: 'number' }] },
      },
    ],
  })
})

/** PUTs a file that must be refused, and checks that nothing is kept and nothing created. */
async function checkRefused(path: string, message: RegExp): Promise<void> {
  const bodies = countBodies(service.dataDir)
  const { streamCount, componentCount } = service.app.catalog.index
  const answer = await callApi(service, path, { method: 'PUT', body: 'x' })
  const body = (await answer.json()) as { message: string }
  assert.equal(answer.status, 400, path)
  assert.match(body.message, message)
  assert.equal(countBodies(service.dataDir), bodies)
  assert.equal(service.app.catalog.index.streamCount, streamCount)
  assert.equal(service.app.catalog.index.componentCount, componentCount)
}

test('PUT file to an interval stream stores it at the end of its interval', async () => {
  const at = Date.UTC(2026, 0, 1, 8, 5)
  const end = Date.UTC(2026, 0, 1, 9)
  const files = '/comp/fixed/stream/hourly/feed/file'
  const put = await putFile(service, `${files}/a?time=${at}`, 'early')
  assert.equal(put.time, end)
  const bodies = countBodies(service.dataDir)
  await putFile(service, `${files}/b?time=${at + 60_000}`, 'later')
  assert.equal(countBodies(service.dataDir), bodies, 'the same interval has one file')
  for (const time of [at, end])
    assert.equal(await (await callApi(service, `${files}/${time}/x`)).text(), 'later')
  const now = await putFile(service, `${files}/c`, 'now')
  assert.equal(now.time, Date.UTC(2026, 0, 1, 11))
  assert.deepEqual(await getJson(service, '/comp/fixed/stream/hourly/feed?retIntvlSd'), [
    { time: end + 2 * HOUR_MS, data: now.url, sdTime: end + HOUR_MS },
    { time: end + HOUR_MS, data: null, sdTime: end },
    { time: end, data: `/api${files}/${end}/b`, sdTime: end - HOUR_MS },
  ])
})

test('PUT file gives a stream without a type the type FILE', async () => {
  await putFile(service, '/comp/fixed/stream/untyped/feed/file/a', 'a')
  const answer = await callApi(service, '/feed?compId=fixed&untyped=5', { method: 'PUT' })
  assert.equal(answer.status, 400)
})

test('point streams and derived streams refuse files', async () => {
  await checkRefused('/comp/fixed/stream/point/feed/file/a', /point stream/)
  await checkRefused('/comp/fixed/stream/derived/feed/file/a', /derived/)
  const answer = await callApi(service, '/comp/fixed/stream/point/feed/file/a')
  assert.equal(answer.status, 400)
})

test('PUT file creates from templates what can hold files, and refuses the rest', async () => {
  const made = '?compTmplId=camera&compName=Front%20door&folder=/Components/Doors'
  const put = await putFile(service, `/comp/front/stream/hourly/feed/file/a${made}`, 'a')
  assert.equal(put.time, Date.UTC(2026, 0, 1, 11))
  const { index, components } = service.app.catalog
  const entry = index.resolveComponent(service.orgUid, 'front')
  const record = await components.get(ownerOf(service.orgUid), entry?.uid ?? '')
  assert.deepEqual([record.name, record.folder], ['Front door', '/Components/Doors'])
  assert.equal(record.stream?.length, 4)
  await putFile(service, `/comp/back/stream/untyped/feed/file/a${made}`, 'a')
  await putFile(service, `/comp/side/stream/own/feed/file/a${made}`, 'a')
  await checkRefused(`/comp/no/stream/number/feed/file/a${made}`, /DOUBLE/)
  await checkRefused(`/comp/no/stream/point/feed/file/a${made}`, /point stream/)
})

test('PUT file defines a stream by dtId and dsId, in an existing component too', async () => {
  const defined = (dsId: string) => `?dtId=camera&dsId=${dsId}`
  const put = await putFile(service, `/comp/fixed/stream/cam/feed/file/a${defined('hourly')}`, 'a')
  assert.equal(put.time, Date.UTC(2026, 0, 1, 11), 'an interval stream')
  await checkRefused(`/comp/fixed/stream/no/feed/file/a${defined('number')}`, /DOUBLE/)
  await checkRefused(`/comp/fixed/stream/no/feed/file/a${defined('point')}`, /point/)
})

test('many first PUTs at once make one stream and keep every file', async () => {
  const paths = Array.from({ length: 10 }, (_, index) => `/comp/new/stream/f/feed/file/${index}`)
  const puts = await Promise.all(paths.map((path) => putFile(service, path, path)))
  assert.equal(new Set(puts.map(({ time }) => time)).size, 10)
  const listed = (await getJson(service, '/comp/new/feed')) as unknown[]
  assert.equal(listed.length, 10)
})
