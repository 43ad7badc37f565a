import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { callApi, getJson, putFile } from '../../support/file-client.ts'
import { openLiveClient } from '../../support/live-client.ts'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const TIME = 1_700_000_000_000
const service = serviceOfFile()
const owner = ownerOfFile(service)

/** A component with a stream of files, both with IDs that are wished for, and where it is by UIDs. */
async function makeStream(id: string, streamId: string): Promise<string> {
  const stream = [{ id: streamId, name: 'photos', valueType: 'FILE' }]
  const { status, body } = await owner('PUT', '/api/component', { component: { id, stream } })
  assert.equal(status, 200)
  const { uid } = body.component
  return `/component/${uid}/stream/${body.component.stream[0].uid}`
}

/** A client takes dots out of addresses, as every fetch does: returned addresses have to survive that. */
async function checkAddress(address: string, expected: string): Promise<void> {
  const answer = await callApi(service, address.replace('/api', ''))
  assert.equal(answer.status, 200, address)
  assert.equal(await answer.text(), expected, address)
}

test('GET returns addresses of files by UIDs where an ID is blank or a dot', async () => {
  for (const [id, streamId] of [
    ['', ''],
    ['', 'photos'],
    ['hall', ''],
    ['.', 'photos'],
    ['..', '.'],
    ['cellar', '..'],
  ]) {
    const stream = await makeStream(id, streamId)
    const body = `of ${id}/${streamId}`
    const { url } = await putFile(service, `${stream}/feed/file/a b.txt?time=${TIME}`, body)
    await checkAddress(url, body)
    const feed = (await getJson(service, `${stream}/feed`)) as { data: string }[]
    assert.deepEqual(feed, [{ time: TIME, data: `/api${stream}/feed/file/${TIME}/a%20b.txt` }])
    await checkAddress(feed[0].data, body)
    const last = await getJson(service, `${stream}/feed?cycle=day&stat=last`)
    assert.equal((last as typeof feed)[0].data, feed[0].data)
    const { plot } = (await getJson(service, `${stream}/plot`)) as { plot: { value: string[] } }
    assert.deepEqual(plot.value, [feed[0].data])
    const [, , , , uid] = stream.split('/')
    const sql = `SELECT sample FROM SAMPLE WHERE uid = '${uid}'`
    assert.deepEqual((await owner('POST', '/api/gql', { sql })).body.rows, [[feed[0].data]])
  }
})

test('GET returns addresses of files by IDs where both can stand in an address', async () => {
  const stream = await makeStream('yard', '...')
  await putFile(service, `${stream}/feed/file/a.txt?time=${TIME}`, 'x')
  const address = `/api/comp/yard/stream/.../feed/file/${TIME}/a.txt`
  assert.deepEqual(await getJson(service, `${stream}/feed`), [{ time: TIME, data: address }])
  await checkAddress(address, 'x')
})

test('a component of one stream without an ID lists its files, live too', async () => {
  const stream = await makeStream('gate', '')
  await putFile(service, `${stream}/feed/file/a.txt?time=${TIME}`, 'x')
  const address = `/api${stream}/feed/file/${TIME}/a.txt`
  for (const path of ['/comp/gate/feed', '/comp/gate/last_value', '/comp/gate/feed?retFData']) {
    assert.equal(((await getJson(service, path)) as { data: string }[])[0].data, address, path)
  }
  const live = await openLiveClient(service, 'comp=gate')
  try {
    assert.deepEqual(await live.sample(), [TIME, address])
  } finally {
    live.close()
  }
})

/** PUTs a file to an unchanged path: fetch would remove the dots. */
async function putAsItStands(path: string, body: string): Promise<{ url: string }> {
  const headers = { 'x-api-key': service.feedKey, 'content-type': 'text/plain' }
  const sent = request(service.url, { method: 'PUT', path, headers }).end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  assert.equal(answer.statusCode, 200)
  return JSON.parse(await text(answer))
}

test('a put of a file, and one that asks by rsid, answer addresses that lead to it', async () => {
  const path = `/api/comp/pier/stream/./feed/file/a?time=${TIME}`
  await checkAddress((await putAsItStands(path, 'x')).url, 'x')
  const answer = await callApi(service, '/feed?compId=pier&n=1&rsid=.', { method: 'PUT' })
  await checkAddress(((await answer.json()) as Record<string, string>)['.'], 'x')
})
