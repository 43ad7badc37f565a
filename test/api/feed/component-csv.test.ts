/** CSV of a component names the stream of each row, whether the call asks for it or not. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { serviceOfFile } from '../../support/service-of-file.ts'

const T = Date.UTC(2026, 0, 31)
const HOUR = 3_600_000
const service = serviceOfFile()
before(async () => {
  const put = `/api/feed?compId=c&temp=1,2&state=on,off&time=${T},${T + 1}`
  await fetch(`${service.url}${put}`, { method: 'PUT', headers: { 'X-Api-Key': service.feedKey } })
})

async function read(path: string, accept = '*/*'): Promise<string> {
  const headers = { 'X-Api-Key': service.feedKey, Accept: accept }
  const answer = await fetch(`${service.url}/api/comp/${path}`, { headers })
  assert.equal(answer.status, 200)
  return answer.text()
}

const csv = (...lines: string[]) => lines.map((line) => `${line}\r\n`).join('')

test('CSV of a component has the column streamId', async () => {
  const feed = csv(
    'streamId,time,data',
    `temp,${T + 1},2`,
    `temp,${T},1`,
    `state,${T + 1},off`,
    `state,${T},on`,
  )
  assert.equal(await read('c/feed?format=csv'), feed)
  assert.equal(await read('c/feed', 'text/csv'), feed)
  assert.equal(await read('c/feed?retStreamId=false', 'text/csv'), feed)
  const last = csv('streamId,time,data', `temp,${T + 1},2`, `state,${T + 1},off`)
  assert.equal(await read('c/last_value?format=csv'), last)
  const days = csv('streamId,time,data', `temp,${T + HOUR},2`, `state,${T + HOUR},off`)
  assert.equal(await read('c/cycle/hour/stat/last/feed?format=csv'), days)
  assert.equal(await read('c/cycle/hour/stat/last/last_value?format=csv'), days)
  const both = await read('c/last_value?format=csv&retCompId')
  assert.equal(both.split('\r\n')[0], 'compId,streamId,time,data')
})

test('JSON, and CSV of one stream, have streamId on request only', async () => {
  assert.equal(
    await read('c/last_value'),
    `[{"time":${T + 1},"data":2},{"time":${T + 1},"data":"off"}]`,
  )
  assert.equal(await read('c/stream/temp/last_value?format=csv'), csv('time,data', `${T + 1},2`))
})
