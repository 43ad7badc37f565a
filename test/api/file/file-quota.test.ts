import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { caller, signIn } from '../../support/caller.ts'
import { callApi, countBodies, openSocket, putFile } from '../../support/file-client.ts'
import { type Service, startService } from '../../support/service.ts'

interface World {
  readonly service: Service
  usage(): Promise<number>
  /** Deletes the samples of stream s in sd ≤ time < ed. */
  remove(sd: number, ed: number): Promise<number>
  put(path: string, bytes: number, init?: RequestInit): Promise<{ status: number; text: string }>
}

async function startWith(t: TestContext, quotas: string): Promise<World> {
  const service = await startService({ settings: { WEIR_QUOTAS: quotas } })
  t.after(() => service.close())
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  const usage = async () => {
    const path = `/api/organization/${service.orgUid}`
    return (await caller(service, session)('GET', path)).body.organization.usage.fileBytes
  }
  const put: World['put'] = async (path, bytes, init = {}) => {
    const headers = { 'content-type': 'a/b' }
    const body = 'x'.repeat(bytes)
    const answer = await callApi(service, path, { method: 'PUT', body, headers, ...init })
    return { status: answer.status, text: await answer.text() }
  }
  const remove = async (sd: number, ed: number) => {
    const path = `/api/comp/c/stream/s/feed?sd=${sd}&ed=${ed}`
    return (await caller(service, session)('DELETE', path)).status
  }
  return { service, usage, put, remove }
}

const at = (time: number, stream = 's') => `/comp/c/stream/${stream}/feed/file/f?time=${time}`

function assertExceeded({ status, text }: { status: number; text: string }): void {
  assert.equal(status, 403, text)
  assert.equal(JSON.parse(text).code, 'quota_exceeded')
  assert.match(text, /1000 bytes of files/)
}

test('files stop at the bytes of the organization, and what goes comes back', async (t) => {
  const { service, usage, put, remove } = await startWith(t, 'fileBytes=1000')
  assert.equal((await put(at(1), 600)).status, 200)
  const bodies = countBodies(service.dataDir)
  assertExceeded(await put(at(2), 401))
  assertExceeded(await put(at(1, 'unknown'), 401))
  assert.equal(service.app.catalog.index.streamCount, 1, 'nothing is created')
  assert.equal(countBodies(service.dataDir), bodies)
  assert.equal((await put(at(1), 300)).status, 200)
  assert.equal(await usage(), 300, 'the replaced file is taken off')
  assert.equal((await put(at(2), 700)).status, 200)
  assert.equal(await usage(), 1_000)
  assertExceeded(await put(at(3), 1))
  assert.equal(await remove(2, 3), 200)
  assert.equal(await usage(), 300)
  await service.restart()
  assert.equal(await usage(), 300, 'summed up from the samples')
  await service.sealAndRestart()
  assert.equal(await usage(), 300)
  assert.equal((await put(at(4), 700)).status, 200)
  const uid = service.app.catalog.index.resolveComponent(service.orgUid, 'c')?.uid ?? ''
  await service.app.catalog.components.deleteByUid(service.orgUid, uid)
  assert.equal(await usage(), 0)
  assert.equal((await put(at(1), 1_000)).status, 200)
})

test('a body whose length nobody announced is cut off where the room ends', async (t) => {
  const { service, usage, put } = await startWith(t, 'fileBytes=1000')
  assert.equal((await put(at(1), 900)).status, 200)
  const bodies = countBodies(service.dataDir)
  const socket = await openSocket(service.port)
  const chunk = 'x'.repeat(80)
  const head = `PUT /api${at(2)}&api_key=${service.feedKey} HTTP/1.1\r\nHost: h\r\nContent-Type: a/b\r\n`
  socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n50\r\n${chunk}\r\n50\r\n${chunk}\r\n`)
  let answer = ''
  for await (const piece of socket.setEncoding('utf8')) {
    answer += piece
    if (answer.includes('"success":false')) break
  }
  assert.match(answer, /^HTTP\/1\.1 403 /)
  assert.match(answer, /quota_exceeded/)
  assert.equal(await usage(), 900)
  assert.equal(countBodies(service.dataDir), bodies)
  assert.equal((await put(at(2), 100)).status, 200, 'what it held is free again')
})

test('parallel uploads never have more than the quota together', async (t) => {
  const { service, usage, put } = await startWith(t, 'fileBytes=1000')
  const puts = Array.from({ length: 12 }, (_, index) => put(at(1, `s${index % 5}`), 300))
  const times = Array.from({ length: 12 }, (_, index) => put(at(index + 2), 300))
  const answers = await Promise.all([...puts, ...times])
  const taken = answers.filter(({ status }) => status === 200).length
  assert.ok(taken >= 1)
  const counted = await usage()
  assert.ok(counted > 0 && counted <= 1_000, String(counted))
  await service.restart()
  assert.equal(await usage(), counted)
})

test('parallel replacements and deletions of one file leave the count true', async (t) => {
  const { service, usage, put, remove } = await startWith(t, 'off')
  await putFile(service, at(1), 'x'.repeat(50))
  assert.equal(await usage(), 50)
  const changes = Array.from({ length: 30 }, (_, index) =>
    index % 3 === 2 ? remove(1, 2) : put(at(1), 100 + index),
  )
  await Promise.all(changes)
  const counted = await usage()
  await service.restart()
  assert.equal(await usage(), counted)
})

test('a file is replaced by one that is no longer, however full the organization is', async (t) => {
  const { put, usage } = await startWith(t, 'fileBytes=1000')
  assert.equal((await put(at(1), 400)).status, 200)
  assert.equal((await put(at(2), 600)).status, 200)
  assertExceeded(await put(at(2), 601))
  assert.equal((await put(at(2), 600)).status, 200)
  assert.equal((await put(at(2), 500)).status, 200)
  assert.equal(await usage(), 900)
  assert.equal((await put(at(1), 500)).status, 200)
  assertExceeded(await put(at(1), 501))
  assertExceeded(await put(at(3), 1))
  assert.equal(await usage(), 1_000)
})
