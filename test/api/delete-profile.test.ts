import assert from 'node:assert/strict'
import { test } from 'node:test'
import { userPrincipal } from '../../src/access/index.ts'
import { ManualClock } from '../../src/base/index.ts'
import { startService } from '../support/service.ts'

const DAY = 86_400_000
const NOON = Date.UTC(2024, 5, 1, 12)

test('a delete profile lets old samples go, and the statistics follow', async (t) => {
  const clock = new ManualClock(NOON)
  const service = await startService({ clock })
  t.after(() => service.close())
  const { catalog } = service.app
  const owner = userPrincipal({ orgUid: service.orgUid, userUid: 'test', role: 'OWNER' })
  const month = { id: 'month', name: 'Month', sizeType: 'DAY', count: 30 }
  const profile = await catalog.deleteProfiles.insert(owner, month)
  const kept = { id: 'kept', name: 'kept', valueType: 'DOUBLE' }
  const short = { ...kept, id: 'short', name: 'short', delete_profile: { uid: profile.uid } }
  const stream = [kept, short]
  await catalog.components.insert(owner, { id: 'c', name: 'c', timeZoneId: 'UTC', stream })
  const days = Array.from({ length: 60 }, (_, day) => NOON - day * DAY)
  const samples = ['kept', 'short'].flatMap((streamId) =>
    days.map((time) => ({ compId: 'c', streamId, time, data: 1 })),
  )
  const put = await fetch(`${service.url}/api/feed?api_key=${service.feedKey}`, {
    method: 'PUT',
    body: JSON.stringify(samples),
  })
  assert.equal(put.status, 200)
  const ask = async (path: string): Promise<{ data: number; time: number }[]> => {
    const url = `${service.url}/api/comp/c/stream/${path}?api_key=${service.feedKey}`
    return (await (await fetch(url)).json()) as { data: number; time: number }[]
  }
  const count = async (streamId: string) =>
    (await ask(`${streamId}/cycle/year/stat/nongapcount/feed`)).map(({ data }) => data)

  assert.deepEqual(await count('short'), [60])
  assert.equal(await service.app.deleteProfileJob.run(), 1)
  assert.deepEqual(await count('short'), [31])
  assert.equal((await ask('short/feed')).at(-1)?.time, NOON - 30 * DAY)
  assert.deepEqual(await count('kept'), [60])
  assert.equal(await service.app.deleteProfileJob.run(), 0)

  clock.advance(10 * DAY)
  assert.equal(await service.app.deleteProfileJob.run(), 1)
  assert.deepEqual(await count('short'), [21])
  await service.restart()
  assert.deepEqual(await count('short'), [21])
  assert.deepEqual(await count('kept'), [60])
})
