import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startChildService } from '../../support/child-service.ts'
import { SERVICE_FILE } from '../../support/program.ts'
import { startServiceOn } from '../../support/service-on.ts'
import { sharedProcess } from '../../support/shared-process.ts'
import { fillDisk, mountDisk, type SmallDisk } from '../../support/small-disk.ts'

const FEED_KEY = '11111111-2222-3333-4444-555555555555'
const PASSWORD = 'correct horse battery'
const RETRY_MS = 20
const settings = {
  WEIR_FEED_KEY: FEED_KEY,
  WEIR_OWNER_PASSWORD: PASSWORD,
  WEIR_RATE_LIMITS: 'off',
}

type Service = { readonly url: string }

/** A service in this process, where neither a signal nor an exit code is what is tested. */
async function serve(t: TestContext, disk: SmallDisk, more: Readonly<Record<string, string>> = {}) {
  const service = await startServiceOn(join(disk.folder, 'data'), { ...settings, ...more })
  t.after(service.close)
  return service
}

async function signIn(service: Service): Promise<Response> {
  return await fetch(`${service.url}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: 'owner@localhost', password: PASSWORD }),
  })
}

function put(service: Service, component: string, value: number): Promise<Response> {
  const query = `compId=${component}&s=${value}&api_key=${FEED_KEY}`
  return fetch(`${service.url}/api/feed?${query}`, { method: 'PUT' })
}

/** Calls again while the answer is 503: the service looks for room now and then. */
async function untilTaken(call: () => Promise<Response>): Promise<void> {
  for (;;) {
    const answer = await call()
    const text = await answer.text()
    if (answer.status !== 503) return assert.equal(answer.status, 200, text)
    await wait(RETRY_MS)
  }
}

async function refusedFor(answer: Response): Promise<string> {
  const text = await answer.text()
  assert.equal(answer.status, 503, text)
  assert.ok(Number(answer.headers.get('retry-after')) > 0)
  return (JSON.parse(text) as { code: string }).code
}

test('a disk that turns read-only: writes are 503 with Retry-After, reads go on, the stop exits 0', async (t) => {
  const disk = mountDisk(t)
  if (disk === undefined) return
  const service = await startChildService(join(disk.folder, 'data'), settings)
  t.after(() => service.kill())
  assert.equal((await put(service, 'c', 1)).status, 200)
  assert.equal((await signIn(service)).status, 200)
  writeFileSync(`/sys/fs/ext4/${disk.device}/trigger_fs_error`, 'for a test')
  assert.throws(() => writeFileSync(join(disk.folder, 'probe'), 'x'), /EROFS/)
  assert.equal(await refusedFor(await signIn(service)), 'read_only')
  assert.equal(await refusedFor(await put(service, 'fresh', 1)), 'read_only')
  assert.equal(await refusedFor(await put(service, 'c', 2)), 'read_only')
  const property = await fetch(`${service.url}/api/comp/c/property?api_key=${FEED_KEY}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify([{ component: { name: 'other' } }]),
  })
  assert.equal(await refusedFor(property), 'read_only')
  const read = await fetch(`${service.url}/api/comp/c/stream/s/feed?api_key=${FEED_KEY}`)
  assert.equal(read.status, 200)
  assert.match(await read.text(), /"data":1/)
  assert.equal(await service.stop(), 0)
  // A manager of services tries again after a disk's trouble, not after a wrong setting.
  const again = await sharedProcess.run({
    main: SERVICE_FILE,
    words: [],
    settings: { ...settings, WEIR_DATA_DIR: join(disk.folder, 'data'), WEIR_PORT: '0' },
  })
  assert.equal(again.code, 74, again.err)
})

test('on a full disk people sign in, delete and are audited; all else is 503 until there is room', async (t) => {
  const disk = mountDisk(t)
  if (disk === undefined) return
  const service = await startChildService(join(disk.folder, 'data'), settings)
  t.after(() => service.kill())
  assert.equal((await put(service, 'c', 1)).status, 200)
  const filler = fillDisk(disk.folder)
  // The catalog's log has some room of its own: it is used up first.
  let refused: Response | undefined
  for (let at = 0; refused === undefined && at < 3_000; at += 1) {
    const answer = await put(service, `fresh-${at}`, 1)
    if (answer.status !== 200) refused = answer
  }
  assert.ok(refused !== undefined, 'the disk was never full')
  assert.equal(await refusedFor(refused), 'read_only')
  for (let round = 0; round < 5; round += 1) {
    // Another program takes all room that it finds.
    fillDisk(disk.folder, `more-${round}`)
    const answer = await signIn(service)
    assert.equal(answer.status, 200, await answer.text())
    assert.equal(await refusedFor(await put(service, `later-${round}`, 1)), 'read_only')
  }
  rmSync(filler)
  assert.equal((await signIn(service)).status, 200)
  await untilTaken(() => put(service, 'room', 1))
  assert.equal(await service.stop(), 0)
})

/** More than journal and catalog need to go on. */
const BODY_BYTES = 32 * 1024 * 1024

/** Puts 20,000 samples that do not compress into a stream of a component. */
async function putMany(service: Service, first: number): Promise<Response> {
  const samples = Array.from({ length: 20_000 }, (_, index) => ({
    compId: 'bulk',
    streamId: 's',
    time: first + index,
    data: Math.sin(first + index),
  }))
  return await fetch(`${service.url}/api/feed?api_key=${FEED_KEY}`, {
    method: 'PUT',
    body: JSON.stringify(samples),
  })
}

test('on a full disk whose journal is full, deleting makes room and puts go on', async (t) => {
  const disk = mountDisk(t)
  if (disk === undefined) return
  // Below 1 GB journal segments are short.
  const service = await serve(t, disk, { WEIR_MEMORY_MB: '512' })
  const feed = `${service.url}/api/comp/big/stream/f/feed`
  const body = Buffer.alloc(BODY_BYTES, 'x')
  const file = `${feed}/file/big.bin?api_key=${FEED_KEY}`
  const upload = await fetch(file, {
    method: 'PUT',
    body,
    headers: { 'Content-Type': 'application/octet-stream' },
  })
  assert.equal(upload.status, 200, await upload.text())
  for (const component of ['c', 'gone'])
    assert.equal((await put(service, component, 1)).status, 200)
  let refused: Response | undefined
  for (let round = 0; refused === undefined && round < 500; round += 1) {
    fillDisk(disk.folder, `filler-${round}`)
    const answer = await putMany(service, 1_700_000_000_000 + round * 20_000)
    if (answer.status !== 200) refused = answer
    else await answer.text()
  }
  assert.ok(refused !== undefined, 'the journal was never full')
  assert.equal(await refusedFor(refused), 'read_only')

  const login = await signIn(service)
  assert.equal(login.status, 200)
  const { sessionUid: session } = (await login.json()) as { sessionUid: string }
  const act = async (path: string): Promise<void> => {
    const mark = path.includes('?') ? '&' : '?'
    const url = `${service.url}/api/${path}${mark}session=${session}`
    const answer = await fetch(url, { method: 'DELETE' })
    assert.equal(answer.status, 200, `${path}: ${await answer.text()}`)
  }
  await act('comp/c/stream/s/feed?sd=0&ed=4000000000000')
  const found = await fetch(`${service.url}/api/component?session=${session}`)
  const { component } = (await found.json()) as { component: Array<{ id: string; uid: string }> }
  const gone = component.find(({ id }) => id === 'gone')
  await act(`component/${gone?.uid}`)
  assert.equal(await refusedFor(await putMany(service, 1)), 'read_only')
  await act('comp/big/stream/f/feed?sd=0&ed=4000000000000')

  await untilTaken(() => putMany(service, 1_800_000_000_000))
  const read = await fetch(`${service.url}/api/comp/c/stream/s/feed?session=${session}`)
  assert.doesNotMatch(await read.text(), /"data":1/)
  const audit = await fetch(`${service.url}/api/audit?session=${session}`)
  assert.match(await audit.text(), /sign|login/i)
  await service.close()
})

/** What the journal leaves to the catalog, and less than it needs for itself. */
const LEFT_BYTES = 14 * 1024 * 1024

test('where the catalog has room left and the journal none, refused puts make no components and streams', async (t) => {
  const disk = mountDisk(t)
  if (disk === undefined) return
  const service = await serve(t, disk)
  assert.equal((await put(service, 'c', 1)).status, 200)
  const filler = fillDisk(disk.folder, 'filler', LEFT_BYTES)
  let refused: Response | undefined
  for (let round = 0; refused === undefined && round < 500; round += 1) {
    const answer = await putMany(service, 1_700_000_000_000 + round * 20_000)
    if (answer.status !== 200) refused = answer
    else await answer.text()
  }
  assert.ok(refused !== undefined, 'the journal was never full')
  assert.equal(await refusedFor(refused), 'read_only')
  const fleet = Array.from({ length: 50 }, (_, at) => ({
    compId: `f${at}`,
    streamId: 's',
    data: 1,
  }))
  const feed = `${service.url}/api/feed?api_key=${FEED_KEY}`
  for (const body of [[{ compId: 'c', streamId: 'more', data: 1 }], fleet]) {
    const answer = await fetch(feed, { method: 'PUT', body: JSON.stringify(body) })
    assert.equal(await refusedFor(answer), 'read_only')
  }
  assert.equal(await refusedFor(await put(service, 'never', 1)), 'read_only')
  const { sessionUid } = (await (await signIn(service)).json()) as { sessionUid: string }
  const found = await fetch(`${service.url}/api/component?session=${sessionUid}`)
  const { component } = (await found.json()) as { component: { id: string; streamCount: number }[] }
  const made = component.filter(({ id }) => id !== 'bulk').map((one) => [one.id, one.streamCount])
  assert.deepEqual(made, [['c', 1]])
  rmSync(filler)
  await untilTaken(() => fetch(feed, { method: 'PUT', body: JSON.stringify(fleet) }))
  await service.close()
})

/** Services over a folder that end as asked: only one that is killed needs a process of its own. */
const ENDS = {
  stop: async (t: TestContext, disk: SmallDisk) => {
    const service = await serve(t, disk)
    return { url: service.url, end: service.close, stop: service.close }
  },
  kill: async (t: TestContext, disk: SmallDisk) => {
    const service = await startChildService(join(disk.folder, 'data'), settings)
    t.after(() => service.kill())
    const stop = async () => assert.equal(await service.stop(), 0)
    return { url: service.url, end: service.kill, stop }
  },
}

for (const [end, start] of Object.entries(ENDS)) {
  test(`a full disk, without its reserve, lets the service start after a ${end}, people sign in and make room`, async (t) => {
    const disk = mountDisk(t)
    if (disk === undefined) return
    const before = await start(t, disk)
    const file = `${before.url}/api/comp/big/stream/f/feed/file/big.bin?api_key=${FEED_KEY}`
    const body = Buffer.alloc(BODY_BYTES, 'x')
    const headers = { 'Content-Type': 'application/octet-stream' }
    assert.equal((await fetch(file, { method: 'PUT', body, headers })).status, 200)
    assert.equal((await put(before, 'c', 1)).status, 200)
    await before.end()
    rmSync(join(disk.folder, 'data', 'reserve'))
    fillDisk(disk.folder)

    const service = await start(t, disk)
    const login = await signIn(service)
    assert.equal(login.status, 200)
    const { sessionUid: session } = (await login.json()) as { sessionUid: string }
    const url = `${service.url}/api/comp/big/stream/f/feed?sd=0&ed=4000000000000&session=${session}`
    const deleted = await fetch(url, { method: 'DELETE' })
    assert.equal(deleted.status, 200, await deleted.text())
    await untilTaken(() => put(service, 'c', 3))
    await service.stop()
  })
}

/** Room for a few segments of the journal, and then for none. */
const ROOM_BYTES = 21 * 1024 * 1024

/** Puts a component of its own again and again, of few and many samples; reports which were refused. */
async function createUntilFull(service: Service, workload: number): Promise<string[]> {
  const refused: string[] = []
  for (let at = 0; refused.length < 12 && at < 500; at += 1) {
    const compId = `lane${workload}-${at}`
    const count = [1, 40, 700, 2_000][(workload + at) % 4]
    const samples = Array.from({ length: count }, (_, time) => ({
      compId,
      streamId: 's',
      time,
      data: Math.sin(time),
    }))
    const feed = `${service.url}/api/feed?api_key=${FEED_KEY}`
    const answer = await fetch(feed, { method: 'PUT', body: JSON.stringify(samples) })
    if (answer.status !== 200) refused.push(compId)
    if (answer.status !== 200) await refusedFor(answer)
    else await answer.text()
  }
  return refused
}

test('puts at the same time that a nearly full disk refuses make no components', async (t) => {
  const disk = mountDisk(t)
  if (disk === undefined) return
  const service = await serve(t, disk)
  assert.equal((await put(service, 'c', 1)).status, 200)
  fillDisk(disk.folder, 'filler', ROOM_BYTES)
  const workloads = Array.from({ length: 12 }, (_, workload) => createUntilFull(service, workload))
  const refused = new Set((await Promise.all(workloads)).flat())
  assert.equal(refused.size, 12 * 12)
  const { sessionUid } = (await (await signIn(service)).json()) as { sessionUid: string }
  const found = await fetch(`${service.url}/api/component?limit=10000&session=${sessionUid}`)
  const { component } = (await found.json()) as { component: { id: string }[] }
  assert.deepEqual(
    component.filter(({ id }) => refused.has(id)).map(({ id }) => id),
    [],
  )
  assert.ok(component.length > 12, 'some were made before')
  await service.close()
})
