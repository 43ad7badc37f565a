import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Call, caller, signIn } from '../support/caller.ts'
import { serviceOfFile } from '../support/service-of-file.ts'
import { eventually } from '../support/settle.ts'

const service = serviceOfFile()
let session: string
let owner: Call
before(async () => {
  session = await signIn(service, service.ownerEmail, service.ownerPassword)
  owner = caller(service, session)
})

interface Made {
  readonly uid: string
  readonly streams: Readonly<Record<string, string>>
}

const over = (expression: string, ...names: string[]) => ({
  expression,
  variables: names.map((name) => ({ name, streamId: name })),
})

/** A component with a source that has history, and a stream whose formula came later. */
async function make(id: string, samples: number): Promise<Made> {
  const made = await owner('PUT', '/api/component', {
    component: { id, stream: [{ id: 'a', valueType: 'DOUBLE' }] },
  })
  assert.equal(made.status, 200, made.text)
  const feed = Array.from({ length: samples }, (_, at) => ({
    compId: id,
    streamId: 'a',
    time: 1_000 * (at + 1),
    data: at,
  }))
  const put = await owner('PUT', '/api/feed', feed)
  assert.equal(put.status, 200, put.text)
  const { uid } = made.body.component
  const derived = await owner('PUT', `/api/component/${uid}/stream`, {
    stream: { id: 'd', derivation: over('a * 2', 'a') },
  })
  assert.equal(derived.status, 200, derived.text)
  const streams = { a: made.body.component.stream[0].uid, d: derived.body.stream.uid }
  return { uid, streams }
}

async function countOf(id: string): Promise<number> {
  const { body } = await owner('GET', `/api/comp/${id}/stream/d/feed?limit=1000`)
  return body.length
}

/** A job once it is over. */
async function finished(uid: string) {
  return await eventually(async () => {
    const { status, text, body } = await owner('GET', `/api/job/${uid}`)
    assert.equal(status, 200, text)
    assert.notEqual(body.job.status, 'RUNNING')
    return body.job
  })
}

const derive = ({ uid, streams }: Made, span: object = {}, call = owner) =>
  call('POST', `/api/component/${uid}/stream/${streams.d}/derive`, span)

test('POST …/derive derives over history, and its job has the progress', async () => {
  const made = await make('history', 500)
  assert.equal(await countOf('history'), 0)
  const begun = await derive(made, { from: 10_000, until: 20_000 })
  assert.equal(begun.status, 202, begun.text)
  assert.equal(begun.body.job.status, 'RUNNING')
  const part = await finished(begun.body.job.uid)
  assert.equal(part.status, 'DONE', JSON.stringify(part))
  assert.deepEqual([part.done, part.total, part.message], [10_000, 10_000, ''])
  assert.equal(await countOf('history'), 10)
  const whole = await finished((await derive(made)).body.job.uid)
  assert.deepEqual([whole.status, whole.done === whole.total], ['DONE', true])
  assert.equal(await countOf('history'), 500)
  const listed = await owner('GET', '/api/job?limit=1')
  assert.equal(listed.body.job[0].uid, whole.uid)
  const record = await owner('GET', `/api/component/${made.uid}/stream/${made.streams.d}`)
  const { derivationStatus } = record.body.stream
  assert.equal(derivationStatus.errorCount, 0)
  assert.equal(derivationStatus.lastError, null)
  assert.ok(derivationStatus.lastRun > 0)
  assert.ok(derivationStatus.sampleCount >= 500)
})

test('a changed formula replaces what was derived, in the span alone', async () => {
  const made = await make('changed', 10)
  await finished((await derive(made)).body.job.uid)
  const path = `/api/component/${made.uid}/stream/${made.streams.d}`
  await owner('POST', path, { stream: { derivation: over('if(a > 6, a + 100, NULL)', 'a') } })
  await finished((await derive(made, { from: 5_000 })).body.job.uid)
  const { body } = await owner('GET', '/api/comp/changed/stream/d/feed?limit=1000')
  assert.deepEqual(
    body.map(({ time, data }: { time: number; data: number }) => [time / 1_000, data]).reverse(),
    [
      [1, 0],
      [2, 2],
      [3, 4],
      [4, 6],
      [8, 107],
      [9, 108],
      [10, 109],
    ],
  )
})

test('POST …/derive refuses what it cannot do, and changes nothing', async () => {
  const made = await make('refused', 3)
  const check = async (answer: ReturnType<Call>, status: number, text: RegExp) => {
    const given = await answer
    assert.equal(given.status, status, given.text)
    assert.match(given.body.message, text)
  }
  await check(derive(made, { from: 'x' }), 400, /from must be/)
  await check(derive(made, { from: 2, until: 2 }), 400, /before until/)
  await check(derive(made, { until: 1.5 }), 400, /until must be/)
  await check(derive(made, []), 400, /must be an object/)
  await check(derive(made, { fromm: 1 }), 400, /Unknown field "fromm"/)
  const plain = { ...made, streams: { ...made.streams, d: made.streams.a } }
  await check(derive(plain), 400, /FROM_EXPRESSION/)
  const unknown = { ...made, streams: { d: made.uid } }
  await check(derive(unknown), 404, /Cannot find stream/)
  await check(owner('GET', `/api/job/${made.uid}`), 404, /Cannot find job/)
  await check(owner('DELETE', `/api/job/${made.uid}`), 404, /Cannot find job/)
  const key = await owner('PUT', '/api/api_key', {
    api_key: { name: 'k', capabilities: [{ resource: 'component', methods: ['GET'] }] },
  })
  const reader = caller(service, `api_key=${key.body.api_key.secretKey}`)
  await check(derive(made, {}, reader), 403, /does not allow POST/)
  await owner('DELETE', `/api/component/${made.uid}/stream/${made.streams.a}`)
  await check(derive(made), 409, /not derived|Cannot calculate/)
  assert.equal(await countOf('refused'), 0)
})

test('DELETE of a job ends it, and a job that is over stays as it is', async () => {
  const made = await make('cancelled', 3)
  const { locks } = service.app.derivation
  assert.equal(await locks.lock(made.uid), true)
  const { uid } = (await derive(made)).body.job
  const gone = await owner('DELETE', `/api/job/${uid}`)
  assert.deepEqual([gone.status, gone.body.job.status], [200, 'CANCELLED'], gone.text)
  await locks.unlock(made.uid)
  assert.equal((await owner('GET', `/api/job/${uid}`)).body.job.status, 'CANCELLED')
  assert.equal(await countOf('cancelled'), 0)
  const done = await finished((await derive(made)).body.job.uid)
  assert.equal((await owner('DELETE', `/api/job/${done.uid}`)).body.job.status, 'DONE')
})

test('twenty jobs of an organization may wait, and they outlive the process', async () => {
  const made = await make('many', 3)
  const { locks } = service.app.derivation
  await locks.lock(made.uid)
  const uids: string[] = []
  for (let count = 0; count < 20; count += 1) uids.push((await derive(made)).body.job.uid)
  const refused = await derive(made)
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict'], refused.text)
  await locks.unlock(made.uid)
  await service.restart()
  for (const uid of uids) assert.equal((await finished(uid)).status, 'DONE')
  assert.equal(await countOf('many'), 3)
})

test('a job whose stream is deleted fails, and says so', async () => {
  const made = await make('deleted', 3)
  const { locks } = service.app.derivation
  await locks.lock(made.uid)
  const { uid } = (await derive(made)).body.job
  const path = `/api/component/${made.uid}/stream/${made.streams.d}`
  assert.equal((await owner('DELETE', path)).status, 200)
  await locks.unlock(made.uid)
  const job = await finished(uid)
  assert.deepEqual([job.status, job.message], ['FAILED', 'The stream was deleted'])
})

test('a job that a key may not see is in no list', async () => {
  const made = await make('hidden-job', 5)
  const uids: string[] = []
  for (let count = 0; count < 3; count += 1) {
    uids.unshift((await finished((await derive(made)).body.job.uid)).uid)
  }
  const all = (await owner('GET', '/api/job?limit=1000')).body.job as { uid: string }[]
  const capabilities = [
    { resource: 'job', methods: ['GET', 'DELETE'] },
    { resource: `job/${uids[1]}`, methods: ['DELETE'] },
  ]
  const key = await owner('PUT', '/api/api_key', { api_key: { name: 'jobs', capabilities } })
  const call = caller(service, `api_key=${key.body.api_key.secretKey}`)
  assert.equal((await call('GET', `/api/job/${uids[1]}`)).status, 403)
  const shown = all.map(({ uid }) => uid).filter((uid) => uid !== uids[1])
  for (const start of [0, 1, 2]) {
    const { body } = await call('GET', `/api/job?start=${start}&limit=2`)
    const listed = (body.job as { uid: string }[]).map(({ uid }) => uid)
    assert.deepEqual(listed, shown.slice(start, start + 2), `${start}`)
    assert.equal(body.totalCount, shown.length)
  }
})
