import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { epochMs } from '../../src/base/index.ts'
import type { StreamHandle } from '../../src/store/index.ts'
import { type Call, caller, signIn } from '../support/caller.ts'
import { callApi, countBodies, getJson, putFile } from '../support/file-client.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let owner: Call

before(async () => {
  service = await startService()
  owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
})
after(() => service.close())

/** Puts three files into a component of its own and tells how many bodies there were before. */
async function putThree(compId: string): Promise<number> {
  const before = countBodies(service.dataDir)
  for (const time of [1000, 2000, 3000])
    await putFile(service, `/comp/${compId}/stream/f/feed/file/a?time=${time}`, `${time}`)
  return before
}

test('DELETE of a range removes the files in it, and their bodies', async () => {
  const before = await putThree('range')
  const { status } = await owner('DELETE', '/api/comp/range/stream/f/feed?sd=2000&ed=3000')
  assert.equal(status, 200)
  assert.equal(countBodies(service.dataDir), before + 2)
  const left = (await getJson(service, '/comp/range/stream/f/feed')) as { time: number }[]
  assert.deepEqual(
    left.map(({ time }) => time),
    [3000, 1000],
  )
  assert.equal((await callApi(service, '/comp/range/stream/f/feed/file/2000/a')).status, 404)
})

test('deleting a component or a stream removes its bodies', async () => {
  const { index } = service.app.catalog
  const uidOf = (compId: string) => index.resolveComponent(service.orgUid, compId)?.uid
  const before = await putThree('whole')
  const whole = await owner('DELETE', `/api/component/${uidOf('whole')}`)
  assert.equal(whole.status, 200, whole.text)
  assert.equal(countBodies(service.dataDir), before)
  await putThree('part')
  const streamUid = index.streamUid(index.resolve(service.orgUid, 'part', 'f'))
  const part = await owner('DELETE', `/api/component/${uidOf('part')}/stream/${streamUid}`)
  assert.equal(part.status, 200, part.text)
  assert.equal(countBodies(service.dataDir), before)
})

test('a raised floor, as of a delete profile, removes the bodies below it', async () => {
  const before = await putThree('floor')
  const handle = service.app.catalog.index.resolve(service.orgUid, 'floor', 'f')
  assert.notEqual(handle, 0)
  await service.app.samples.raiseFloor(handle as StreamHandle, epochMs(2500))
  assert.equal(countBodies(service.dataDir), before + 1)
  assert.equal((await callApi(service, '/comp/floor/stream/f/feed/file/1000/a')).status, 404)
  assert.equal((await callApi(service, '/comp/floor/stream/f/feed/file/3000/a')).status, 200)
})

test('the sweep removes a body without a sample, and no other', async () => {
  await putThree('swept')
  const before = countBodies(service.dataDir)
  const orphan = join(service.dataDir, 'files', 'ab', `ab${'0'.repeat(30)}`)
  mkdirSync(dirname(orphan), { recursive: true })
  writeFileSync(orphan, 'left behind')
  const kept = readdirSync(join(service.dataDir, 'files'), { recursive: true, withFileTypes: true })
  const longAgo = Date.now() / 1000 - 7200
  for (const file of kept.filter((entry) => entry.isFile()))
    utimesSync(join(file.parentPath, file.name), longAgo, longAgo)
  assert.equal(await service.app.fileSweep.run(), 1)
  assert.equal(countBodies(service.dataDir), before)
})

test('a file stream survives a restart, and its files can be replaced after it', async () => {
  const before = await putThree('restart')
  await service.restart()
  assert.equal(
    await (await callApi(service, '/comp/restart/stream/f/feed/file/1000/a')).text(),
    '1000',
  )
  await putFile(service, '/comp/restart/stream/f/feed/file/b?time=1000', 'after')
  assert.equal(countBodies(service.dataDir), before + 3)
  assert.equal(
    await (await callApi(service, '/comp/restart/stream/f/feed/file/1000/a')).text(),
    'after',
  )
})
