import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { type Clock, epochMs, systemClock } from '../../src/base/index.ts'
import { type NoticeHome, noticeOf, openNoticeHome, owner } from '../support/notice-home.ts'
import { comesTrue, settlesTo } from '../support/settle.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { type Received, startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'

const SECRET = 'a-secret-that-signs'
const MINUTE = 60_000

let folder: string
let home: NoticeHome
let receiver: WebhookReceiver
/** The wall clock, which a test moves on so that it need not wait for pauses and limits. */
let aheadMs: number
const clock: Clock = {
  now: () => epochMs(systemClock.now() + aheadMs),
  elapsed: () => systemClock.elapsed(),
}

beforeEach(async () => {
  folder = temporaryFolder()
  aheadMs = 0
  receiver = await startReceiver()
  home = await openNoticeHome({ folder, clock })
})
afterEach(async () => {
  await home.close()
  await receiver.close()
})

async function channelUid(more: object = {}): Promise<string> {
  const fields = { name: 'Ops', url: `${receiver.url}/hook/t0p-secret-path`, ...more }
  return (await home.channels.insert(owner, fields)).uid
}

function noticeTo(uid: string, more: Parameters<typeof noticeOf>[1] = {}) {
  return noticeOf(uid, { createdMs: clock.now(), ...more })
}

const keyOf = ({ headers }: Received) => headers['idempotency-key']
const attemptsOf = async (uid: string) =>
  (await home.channels.listAttempts(owner, uid, { start: 0, limit: 100 })).records

/** Lets time pass until a condition holds. */
async function advanceUntil(holds: () => boolean | Promise<boolean>, stepMs = 500): Promise<void> {
  await comesTrue(async () => {
    aheadMs += stepMs
    return await holds()
  })
}

test('a notice is sent when it is committed, signed, and removed when the receiver has it', async () => {
  const uid = await channelUid({ secret: SECRET, token: 'bearer-of-news' })
  const notice = noticeTo(uid)
  await home.put(notice)
  await receiver.atLeast(1)
  const [{ path, headers, body }] = receiver.received
  assert.equal(path, '/hook/t0p-secret-path')
  assert.equal(headers['idempotency-key'], notice.idempotencyKey)
  assert.equal(headers.authorization, 'Bearer bearer-of-news')
  const [, seconds, hash] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['weir-signature'])) ?? []
  const expected = createHmac('sha256', SECRET).update(`${seconds}.${body}`).digest('hex')
  assert.equal(hash, expected)
  assert.ok(Math.abs(Number(seconds) * 1_000 - clock.now()) < 2_000)
  const { title, state, componentName, value } = JSON.parse(body)
  assert.deepEqual(
    { title, state, componentName, value },
    { title: 'Firing: Too hot', state: 'FIRING', componentName: 'Boiler 3', value: '93.5' },
  )
  await settlesTo(() => home.countWaiting(), 0)
  const [attempt] = await attemptsOf(uid)
  assert.equal(attempt.isOk, true)
  assert.equal(attempt.idempotencyKey, notice.idempotencyKey)
})

test('failures of every kind are tried again with the same key, until the receiver has the notice', async () => {
  const uid = await channelUid()
  const elsewhere = { status: 302, headers: { Location: `${receiver.url}/elsewhere` } }
  const failures = [500, 404, 'disconnect', elsewhere, 'endless', { status: 429 }] as const
  receiver.behave = (at) => failures[at] ?? 204
  const notice = noticeTo(uid)
  await home.put(notice)
  await advanceUntil(async () => (await home.countWaiting()) === 0, 5_000)
  assert.equal(receiver.received.length, failures.length + 1)
  assert.deepEqual(new Set(receiver.received.map(keyOf)), new Set([notice.idempotencyKey]))
  assert.ok(
    receiver.received.every(({ path }) => path.startsWith('/hook/')),
    'followed a redirect',
  )
  const attempts = (await attemptsOf(uid)).toReversed()
  assert.deepEqual(
    attempts.map(({ reason, tries }) => [reason, tries]),
    [
      ['status', 1],
      ['status', 2],
      ['lost', 3],
      ['redirect', 4],
      ['status', 5],
      ['status', 6],
      ['ok', 7],
    ],
  )
  const pauses = attempts.slice(0, -1).map(({ nextTime, time }) => (nextTime ?? 0) - time)
  assert.ok(Math.max(...pauses.slice(0, 2)) < MINUTE && pauses[5] >= 10 * MINUTE, pauses.join())
})

test('a receiver that hangs is left after some seconds, and does not hold up another channel', async () => {
  const hanging = await channelUid()
  const other = await channelUid({ url: `${receiver.url}/other` })
  receiver.behave = (at, { path }) => (path === '/other' || at > 1 ? 200 : 'hang')
  await home.put(noticeTo(hanging))
  await receiver.atLeast(1)
  await home.put(noticeTo(other))
  await receiver.atLeast(2)
  assert.equal(receiver.received[1].path, '/other')
  await comesTrue(async () => (await attemptsOf(hanging)).length === 1)
  assert.equal((await attemptsOf(hanging))[0].reason, 'timeout')
  await advanceUntil(async () => (await home.countWaiting()) === 0)
})

test('notices of one order key stay in order, and a notice that is never taken holds up no other key', async () => {
  const uid = await channelUid({ perMinute: 60 })
  receiver.behave = (_at, { body }) => (JSON.parse(body).message === 'poison' ? 400 : 200)
  const poison = { orderKey: 'a', about: { message: 'poison' } }
  await home.put(
    noticeTo(uid, { ...poison, sequence: 1 }),
    noticeTo(uid, { orderKey: 'a', sequence: 2, about: { message: 'behind' } }),
    ...[1, 2, 3].map((sequence) =>
      noticeTo(uid, { orderKey: 'b', sequence, about: { message: `b${sequence}` } }),
    ),
  )
  const messages = () => receiver.received.map(({ body }) => JSON.parse(body).message)
  await advanceUntil(() => messages().includes('b3'))
  assert.deepEqual(
    messages().filter((message) => message.startsWith('b') && message !== 'behind'),
    ['b1', 'b2', 'b3'],
  )
  assert.ok(!messages().includes('behind'))
})

test('a notice that cannot be delivered within a day is given up, and those behind it go on', async () => {
  const uid = await channelUid()
  receiver.behave = () => 500
  await home.put(noticeTo(uid, { sequence: 1 }))
  await receiver.atLeast(1)
  aheadMs += 25 * 60 * MINUTE
  receiver.behave = () => 200
  await home.put(noticeTo(uid, { sequence: 2, about: { message: 'later' } }))
  await advanceUntil(async () => (await home.countWaiting()) === 0)
  assert.equal(JSON.parse(receiver.received.at(-1)?.body ?? '').message, 'later')
  assert.ok((await attemptsOf(uid)).some(({ reason }) => reason === 'expired'))
})

test('a storm is summed up: requests stay below the limit of a minute, and every key is named once', async () => {
  const uid = await channelUid({ perMinute: 5 })
  const notices = Array.from({ length: 10_000 }, (_, at) =>
    noticeTo(uid, { orderKey: `alert/${at}`, about: { streamUid: `s${at}` } }),
  )
  const startMs = clock.now()
  for (let from = 0; from < notices.length; from += 500) {
    await home.put(...notices.slice(from, from + 500))
  }
  await advanceUntil(async () => (await home.countWaiting()) === 0, 3_000)
  const minutes = Math.ceil((clock.now() - startMs) / MINUTE)
  assert.ok(receiver.received.length <= 5 * (minutes + 1), `${receiver.received.length} requests`)
  const keys = receiver.received.flatMap(
    (request) => JSON.parse(request.body).keys ?? keyOf(request),
  )
  assert.equal(keys.length, notices.length)
  assert.deepEqual(new Set(keys), new Set(notices.map(({ idempotencyKey }) => idempotencyKey)))
  const summary = JSON.parse(receiver.received.at(-1)?.body ?? '')
  assert.equal(summary.kind, 'summary')
  assert.match(summary.title, /alert changes/)
})

test('what a stop cut short is sent after the next start, and pauses and limits go on', async () => {
  const uid = await channelUid({ perMinute: 2 })
  receiver.behave = () => 503
  const notice = noticeTo(uid)
  await home.put(notice)
  await comesTrue(async () => (await attemptsOf(uid)).length === 1)
  await home.close()
  home = await openNoticeHome({ folder, clock })
  receiver.behave = () => 200
  await advanceUntil(async () => (await home.countWaiting()) === 0)
  assert.deepEqual(receiver.received.map(keyOf), [notice.idempotencyKey, notice.idempotencyKey])
  const [last] = await attemptsOf(uid)
  assert.equal(last.tries, 2)
})

test('the next try comes at once when the channel is changed', async () => {
  const uid = await channelUid()
  receiver.behave = (_at, { path }) => (path === '/right' ? 200 : 404)
  await home.put(noticeTo(uid))
  await comesTrue(async () => (await attemptsOf(uid)).length === 1)
  await home.channels.update(owner, uid, { url: `${receiver.url}/right` })
  await settlesTo(() => home.countWaiting(), 0)
  assert.equal(receiver.received.at(-1)?.path, '/right')
})

test('pauses are over once the wall clock was set back', async () => {
  const uid = await channelUid()
  receiver.behave = () => 500
  aheadMs = 60 * MINUTE
  const keys = ['a', 'b', 'c']
  await home.put(...keys.map((orderKey) => noticeTo(uid, { orderKey })))
  // Each was tried, and the channel pauses.
  await advanceUntil(() => new Set(receiver.received.map(keyOf)).size === keys.length)
  await comesTrue(async () => (await attemptsOf(uid)).length === receiver.received.length)
  aheadMs = 0
  receiver.behave = () => 200
  await advanceUntil(async () => (await home.countWaiting()) === 0)
  assert.ok(aheadMs < 30 * MINUTE, `${aheadMs / MINUTE} minutes`)
})

test('Retry-After of a receiver is kept for all notices of the channel', async () => {
  const uid = await channelUid()
  const busy = { status: 429, headers: { 'Retry-After': '600' } }
  receiver.behave = (at) => (at === 0 ? busy : 200)
  await home.put(noticeTo(uid, { orderKey: 'a' }), noticeTo(uid, { orderKey: 'b' }))
  await advanceUntil(async () => (await home.countWaiting()) === 0, 5_000)
  const [last, before, first] = await attemptsOf(uid)
  assert.equal(first.status, 429)
  for (const { time } of [last, before]) assert.ok(time >= first.time + 10 * MINUTE)
})

test('a channel that was changed or deleted during a request is sent nothing more as it was', async () => {
  for (const change of ['change', 'delete'] as const) {
    const uid = await channelUid({ perMinute: 60 })
    const path = `/hook/t0p-secret-path`
    const before = receiver.received.length
    receiver.intercept = async (_request, answer) => {
      receiver.intercept = (_next, answerNext) => answerNext()
      if (change === 'delete') await home.channels.delete(owner, uid)
      else await home.channels.update(owner, uid, { url: `${receiver.url}/new` })
      await answer()
    }
    await home.put(...['a', 'b', 'c'].map((orderKey) => noticeTo(uid, { orderKey })))
    await advanceUntil(async () => (await home.countWaiting()) === 0)
    const sent = receiver.received.slice(before).map((request) => request.path)
    assert.deepEqual(sent, change === 'delete' ? [path] : [path, '/new', '/new'])
  }
})

test('notices of a deleted channel are removed', async () => {
  const uid = await channelUid()
  receiver.behave = () => 500
  await home.put(noticeTo(uid))
  await receiver.atLeast(1)
  await home.channels.delete(owner, uid)
  await settlesTo(() => home.countWaiting(), 0)
  const log = await home.store.get({ orgUid: 'org', kind: 'channel_log', uid })
  assert.equal(log, undefined)
})

test('an address that the outbound rules refuse is named with WEIR_OUTBOUND_ALLOW', async () => {
  await home.close()
  home = await openNoticeHome({ folder, clock, allow: [] })
  const uid = await channelUid()
  await home.put(noticeTo(uid))
  await comesTrue(async () => (await attemptsOf(uid)).length === 1)
  const [{ reason, message }] = await attemptsOf(uid)
  assert.equal(reason, 'not_allowed')
  assert.match(message, /loopback.*WEIR_OUTBOUND_ALLOW/)
  assert.equal(receiver.received.length, 0)
})

test('secrets are in no log, no attempt, and not readable on disk, even if a receiver repeats them', async () => {
  const token = 'token-that-nobody-reads'
  const uid = await channelUid({ secret: SECRET, token })
  receiver.behave = (_at, { path }) => ({ status: 401, body: `no: ${path} ${token} ${SECRET}` })
  await home.put(noticeTo(uid))
  await comesTrue(async () => (await attemptsOf(uid)).length === 1)
  const attempts = JSON.stringify(await attemptsOf(uid))
  assert.match(attempts, /redacted/)
  await home.close()
  const onDisk = ['catalog.db', 'catalog.db-wal'].map((name) => {
    try {
      return readFileSync(join(folder, name), 'latin1')
    } catch {
      return ''
    }
  })
  const shown = [attempts, home.logLines.join(''), ...onDisk]
  for (const secret of [SECRET, token, 't0p-secret-path']) {
    assert.ok(!shown.some((text) => text.includes(secret)), secret)
  }
  home = await openNoticeHome({ folder, clock })
})
