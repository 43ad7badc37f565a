import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { caller, signIn } from '../../support/caller.ts'
import { callSink, VALUES_SQL, valuesBody } from '../../support/connector-home.ts'
import { startServiceOn } from '../../support/service-on.ts'
import { fillDisk, mountDisk } from '../../support/small-disk.ts'

const KEY = '11111111-2222-3333-4444-555555555555'
const PASSWORD = 'correct horse battery'
const SETTINGS = { WEIR_FEED_KEY: KEY, WEIR_OWNER_PASSWORD: PASSWORD }

test('a sink on a full disk is a 503 with Retry-After, and takes calls again once there is room', async (t) => {
  const disk = mountDisk(t)
  if (disk === undefined) return
  const service = await startServiceOn(join(disk.folder, 'data'), SETTINGS)
  t.after(service.close)
  const owner = caller(service, await signIn(service, 'owner@localhost', PASSWORD))
  const login = await caller(service, '')('POST', '/api/login', {
    email: 'owner@localhost',
    password: PASSWORD,
  })
  const { userUid, organization } = login.body
  const made = await owner('PUT', '/api/connector', {
    connector: { id: 'hook', runningUser: { uid: userUid }, procs: [{ sql: VALUES_SQL }] },
  })
  assert.equal(made.status, 200, made.text)
  const place = { orgUid: organization[0].uid, id: 'hook' }
  const send = (x: number, filling = '', device = 'd') =>
    callSink(service, place, { key: KEY, body: valuesBody(device, { s: 'x', x, t: x }) + filling })
  assert.equal((await send(1)).status, 200)
  const filler = fillDisk(disk.folder)
  // Long enough for what SQLite may have left in its files.
  const refused = await send(2, ' '.repeat(8_000_000))
  assert.equal(refused.status, 503, refused.text)
  assert.equal(refused.body.code, 'read_only')
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  const creating = await send(2, ' '.repeat(8_000_000), 'fresh')
  assert.equal(creating.status, 503, creating.text)
  rmSync(filler)
  assert.equal((await send(3)).status, 200)
  const read = (device: string) =>
    caller(service, '')('GET', `/api/comp/${device}/stream/x/feed?api_key=${KEY}`)
  assert.deepEqual(
    (await read('d')).body.map(({ time }: { time: number }) => time),
    [3, 1],
    'a refused call has stored nothing',
  )
  assert.equal((await read('fresh')).status, 404, 'and made nothing')
  const kept = await owner('GET', `/api/connector/${made.body.connector.uid}/payload`)
  assert.deepEqual(
    kept.body.payload.map(({ status }: { status: string }) => status),
    ['DONE', 'DONE'],
  )
  await service.close()
})
