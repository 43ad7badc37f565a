import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { callApi, countBodies, getJson, putFile } from '../../support/file-client.ts'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const HOUR_MS = 3_600_000
const service = serviceOfFile()
const owner = ownerOfFile(service)

/** Puts three files into a component of its own and returns the number of bodies before. */
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

test('a delete profile removes the bodies of files that are too old', async () => {
  const before = countBodies(service.dataDir)
  const profile = { name: 'a day', sizeType: 'DAY', count: 1 }
  const made = await owner('PUT', '/api/delete_profile', { delete_profile: profile })
  assert.equal(made.status, 200, made.text)
  const stream = { id: 'f', delete_profile: { uid: made.body.delete_profile.uid } }
  const component = await owner('PUT', '/api/component', {
    component: { id: 'aged', stream: [stream] },
  })
  assert.equal(component.status, 200, component.text)
  const now = Date.now()
  await putFile(service, `/comp/aged/stream/f/feed/file/old?time=${now - 40 * HOUR_MS}`, 'old')
  await putFile(service, `/comp/aged/stream/f/feed/file/young?time=${now}`, 'young')
  assert.equal(await service.app.deleteProfileJob.run(), 1)
  assert.equal(countBodies(service.dataDir), before + 1)
  assert.equal(await (await callApi(service, '/comp/aged/stream/f/feed/file/x')).text(), 'young')
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
