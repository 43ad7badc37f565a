import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { type Service, startService } from '../../support/service.ts'

let service: Service
let owner: Call

before(async () => {
  const clock = new ManualClock(Date.parse('2026-03-28T12:00:00Z'))
  const settings = { WEIR_OWNER_TIME_ZONE: 'Europe/Berlin' }
  service = await startService({ clock, settings })
  owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
})
after(() => service.close())

async function preview(body: object) {
  const answer = await owner('POST', '/api/cycle/preview', body)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}
const startsOf = (body: { period: { localFrom: string }[] }) =>
  body.period.map(({ localFrom }) => localFrom)

test('a cycle that is only described is shown from the current time, in the zone of the owner', async () => {
  const body = await preview({ cycle: { sizeType: 'DAY' }, count: 3 })
  assert.equal(body.timeZoneId, 'Europe/Berlin')
  assert.deepEqual(startsOf(body), [
    '2026-03-28T00:00:00+01:00',
    '2026-03-29T00:00:00+01:00',
    '2026-03-30T00:00:00+02:00',
  ])
  const shifts = { cycle: { sizeType: 'HOUR', count: 8, referenceDate: '2024-01-01T06:00' } }
  const from = Date.parse('2026-07-01T05:00:00Z')
  const there = await preview({ ...shifts, timeZoneId: 'asia/tokyo', from, count: 2 })
  assert.deepEqual(startsOf(there), ['2026-07-01T14:00:00+09:00', '2026-07-01T22:00:00+09:00'])
})

test('a saved cycle is shown with the fields beside its UID changed, and stays as it is', async () => {
  const cycle = { id: 'own', sizeType: 'MONTH', count: 1, timeZoneId: 'UTC' }
  const made = await owner('PUT', '/api/cycle', { cycle })
  const { uid } = made.body.cycle
  const saved = await preview({ cycle: { uid }, timeZoneId: 'Asia/Tokyo', count: 2 })
  assert.deepEqual(startsOf(saved), ['2026-03-01T00:00:00+00:00', '2026-04-01T00:00:00+00:00'])
  const changed = await preview({ cycle: { uid, count: 6 }, count: 2 })
  assert.deepEqual(startsOf(changed), ['2026-01-01T00:00:00+00:00', '2026-07-01T00:00:00+00:00'])
  assert.equal((await owner('GET', `/api/cycle/${uid}`)).body.cycle.count, 1)
  const builtIn = (await owner('GET', '/api/cycle')).body.cycle.find(
    ({ id }: { id: string }) => id === 'year',
  )
  const years = await preview({ cycle: { uid: builtIn.uid }, count: 1 })
  assert.deepEqual(startsOf(years), ['2026-01-01T00:00:00+01:00'])
})

test('bad input is reported by field, and at most a hundred periods are listed', async () => {
  const bad = async (body: object, status: number, message: RegExp) => {
    const answer = await owner('POST', '/api/cycle/preview', body)
    assert.equal(answer.status, status, answer.text)
    assert.match(answer.body.message, message)
  }
  await bad({}, 400, /^cycle must be an object/)
  await bad({ cycle: { count: 0 } }, 400, /count: 0 is not an integer/)
  await bad({ cycle: { sizeType: 'X' } }, 400, /^cycle\.sizeType must be one of/)
  await bad({ cycle: { referenceDate: 'x' } }, 400, /referenceDate: "x" is not a local date-time/)
  await bad({ cycle: { timeZoneId: 'Mars' } }, 400, /^cycle\.timeZoneId "Mars"/)
  await bad({ cycle: {}, timeZoneId: 'Mars' }, 400, /^timeZoneId "Mars"/)
  await bad({ cycle: {}, from: 1e15 }, 400, /^from 1000000000000000 is outside/)
  await bad({ cycle: {}, from: 'x' }, 400, /^from must be integer epoch/)
  await bad({ cycle: {}, count: 0 }, 400, /^preview\.count must be/)
  await bad({ cycle: { uid: 'none' } }, 404, /Cannot find cycle "none"/)
  const most = await preview({ cycle: { sizeType: 'MILLISEC' }, count: 5_000 })
  assert.equal(most.period.length, 100)
})
