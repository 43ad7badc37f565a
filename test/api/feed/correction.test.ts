import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { deviceOfFile, serviceOfFile } from '../../support/service-of-file.ts'
import { eventually } from '../../support/settle.ts'

const DAY = 86_400_000
const clock = new ManualClock(Date.UTC(2026, 0, 15))
const START = Date.UTC(2026, 0, 10)
const service = serviceOfFile({ clock })
let owner: Call
const device = deviceOfFile(service)
before(async () => {
  await signInAgain()
})

async function signInAgain(): Promise<void> {
  owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into.
type Json = any

interface Place {
  readonly id: string
  readonly path: string
  readonly streamUid: string
}

async function make(id: string, stream: object = { valueType: 'DOUBLE' }): Promise<Place> {
  const component = { id, stream: [{ id: 's', ...stream }] }
  const made = await owner('PUT', '/api/component', { component })
  assert.equal(made.status, 200, made.text)
  const { uid, stream: streams } = made.body.component
  const path = `/api/component/${uid}/stream/${streams[0].uid}/correction`
  return { id, path, streamUid: streams[0].uid }
}

async function put({ id }: Place, samples: Readonly<Record<number, unknown>>): Promise<void> {
  const rows = Object.entries(samples).map(([minute, data]) => ({
    compId: id,
    streamId: 's',
    time: START + Number(minute) * 60_000,
    data,
  }))
  const { status, text } = await device('PUT', '/api/feed', rows)
  assert.equal(status, 200, text)
}

/** The samples by minute. */
async function samplesOf({ id }: Place, query = ''): Promise<Record<number, unknown>> {
  const { body, text } = await device('GET', `/api/comp/${id}/stream/s/feed${query}`)
  assert.ok(Array.isArray(body), text)
  return Object.fromEntries(
    body.map(({ time, data }: Json) => [(time - START) / 60_000, data]).reverse(),
  )
}

function asked(action: string, value: unknown, from: number, until: number) {
  const range = { from: START + from * 60_000, until: START + until * 60_000 }
  return { correction: { action, ...(value === undefined ? {} : { value }), ...range } }
}

async function settled(uid: string): Promise<Json> {
  return await eventually(async () => {
    const { body, text } = await owner('GET', `/api/job/${uid}`)
    assert.notEqual(body.job.status, 'RUNNING', text)
    return body.job
  })
}

async function correct(place: Place, body: object): Promise<Json> {
  const begun = await owner('POST', place.path, body)
  assert.equal(begun.status, 202, begun.text)
  const job = await settled(begun.body.job.uid)
  assert.equal(job.status, 'DONE', job.message)
  return job
}

async function undo(place: Place, uid: string): Promise<Json> {
  const begun = await owner('POST', `${place.path}/${uid}/undo`)
  assert.equal(begun.status, 202, begun.text)
  const job = await settled(begun.body.job.uid)
  assert.equal(job.status, 'DONE', job.message)
  return job
}

test('a range is offset, scaled, set, and deleted, each with a preview and an undo', async () => {
  const place = await make('plain')
  const before = { 0: 1, 1: 2.5, 2: -3, 3: 4, 4: 5 }
  await put(place, before)
  const cases = [
    { body: asked('offset', 0.5, 1, 4), changed: { 1: 3, 2: -2.5, 3: 4.5 } },
    { body: asked('scale', -2, 1, 4), changed: { 1: -5, 2: 6, 3: -8 } },
    { body: asked('set', 9, 1, 4), changed: { 1: 9, 2: 9, 3: 9 } },
    { body: asked('delete', undefined, 1, 4), changed: undefined },
  ]
  for (const { body, changed } of cases) {
    const preview = await owner('POST', `${place.path}/preview`, body)
    assert.equal(preview.status, 200, preview.text)
    const { sampleCount, canUndo, samples } = preview.body.correction
    assert.deepEqual([sampleCount, canUndo], [3, true])
    assert.deepEqual(
      samples.map(({ after }: Json) => after),
      changed === undefined ? [null, null, null] : Object.values(changed),
    )
    assert.deepEqual(await samplesOf(place), before, 'a preview changes nothing')
    const job = await correct(place, body)
    assert.deepEqual([job.kind, job.done, job.total], ['correct', 3, 3])
    const expected = changed === undefined ? { 0: 1, 4: 5 } : { ...before, ...changed }
    assert.deepEqual(await samplesOf(place), expected)
    await undo(place, job.uid)
    assert.deepEqual(await samplesOf(place), before)
    const again = await owner('POST', `${place.path}/${job.uid}/undo`)
    assert.deepEqual([again.status, again.body.code], [409, 'conflict'])
  }
  const { body } = await owner('GET', place.path)
  assert.equal(body.totalCount, 4)
  const actions = body.job.map(({ correction }: Json) => correction.action)
  assert.deepEqual(actions.sort(), ['delete', 'offset', 'scale', 'set'])
  assert.ok(body.job.every(({ correction }: Json) => correction.undoneBy !== ''))
})

test('samples that were written again since a correction stay when it is undone', async () => {
  const place = await make('again')
  await put(place, { 0: 1, 1: 2, 2: 3 })
  const offset = await correct(place, asked('offset', 10, 0, 3))
  await put(place, { 1: 77, 5: 5 })
  const undone = await undo(place, offset.uid)
  assert.equal(undone.correction.leftCount, 1)
  assert.deepEqual(await samplesOf(place), { 0: 1, 1: 77, 2: 3, 5: 5 })
  const gone = await correct(place, asked('delete', undefined, 0, 9))
  await put(place, { 2: 8, 4: 4 })
  await undo(place, gone.uid)
  assert.deepEqual(await samplesOf(place), { 0: 1, 1: 77, 2: 8, 4: 4, 5: 5 })
})

test('an undo works after a restart, for 24 hours', async () => {
  const place = await make('restarted')
  await put(place, { 0: 1, 1: 2 })
  const first = await correct(place, asked('set', 5, 0, 9))
  const second = await correct(place, asked('scale', 3, 0, 9))
  await service.restart()
  await signInAgain()
  assert.deepEqual(await samplesOf(place), { 0: 15, 1: 15 })
  await undo(place, second.uid)
  await undo(place, first.uid)
  assert.deepEqual(await samplesOf(place), { 0: 1, 1: 2 })
  const late = await correct(place, asked('offset', 1, 0, 9))
  clock.advance(DAY + 1)
  await signInAgain()
  const refused = await owner('POST', `${place.path}/${late.uid}/undo`)
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict'])
  assert.match(refused.body.message, /24 hours/)
})

test('the sweep of files keeps the samples of corrections that can be undone', async () => {
  const place = await make('swept')
  await put(place, { 0: 1 })
  const job = await correct(place, asked('set', 5, 0, 9))
  clock.advance(3 * 3_600_000)
  await signInAgain()
  await service.app.fileSweep.run()
  await undo(place, job.uid)
  assert.deepEqual(await samplesOf(place), { 0: 1 })
})

test('types bound what a correction may do; bad input changes nothing', async () => {
  const places = {
    INTEGER: await make('whole', { valueType: 'INTEGER' }),
    STRING: await make('words', { valueType: 'STRING' }),
    BOOLEAN: await make('flags', { valueType: 'BOOLEAN' }),
    BIG_DECIMAL: await make('exact', { valueType: 'BIG_DECIMAL' }),
  }
  await put(places.INTEGER, { 0: 2_000_000_000 })
  await put(places.STRING, { 0: 'on' })
  await put(places.BOOLEAN, { 0: true })
  await put(places.BIG_DECIMAL, { 0: '1.50' })
  const refused: [keyof typeof places, object, RegExp][] = [
    ['INTEGER', asked('offset', 0.5, 0, 1), /value must be an integer/],
    ['INTEGER', asked('scale', 2, 0, 1), /value gives 4000000000/],
    ['INTEGER', asked('set', 1e10, 0, 1), /value gives 10000000000/],
    ['INTEGER', asked('set', 'x', 0, 1), /value must be a number/],
    ['INTEGER', asked('set', undefined, 0, 1), /value is missing/],
    ['INTEGER', asked('twist', 1, 0, 1), /action/],
    ['INTEGER', asked('set', 1, 1, 1), /from must be before until/],
    ['INTEGER', asked('set', 1, 5, 9), /no samples in this range/],
    ['STRING', asked('scale', 2, 0, 1), /action must be delete or set/],
    ['STRING', asked('set', 5, 0, 1), /value must be a text/],
    ['BOOLEAN', asked('set', 'on', 0, 1), /value must be true or false/],
    ['BIG_DECIMAL', asked('set', 'abc', 0, 1), /decimal number/],
  ]
  for (const [type, body, message] of refused) {
    const answer = await owner('POST', places[type].path, body)
    assert.equal(answer.status, 400, `${type} ${JSON.stringify(body)}: ${answer.text}`)
    assert.match(answer.body.message, message)
  }
  assert.deepEqual(await samplesOf(places.INTEGER), { 0: 2_000_000_000 })
  await correct(places.STRING, asked('set', 'off', 0, 1))
  assert.deepEqual(await samplesOf(places.STRING), { 0: 'off' })
  const preview = await owner('POST', `${places.BOOLEAN.path}/preview`, asked('set', false, 0, 1))
  assert.deepEqual(preview.body.correction.samples, [{ time: START, before: true, after: false }])
  await correct(places.BOOLEAN, asked('set', false, 0, 1))
  assert.deepEqual(await samplesOf(places.BOOLEAN), { 0: false })
  await correct(places.BIG_DECIMAL, asked('set', '2.500', 0, 1))
})

test('derived streams and statistics follow; results of formulas can only be deleted', async () => {
  const place = await make('source')
  const variables = [{ name: 'a', componentId: 'source', streamId: 's' }]
  const derivation = { expression: 'a * 2', variables, followsCorrections: true }
  const derived = await make('result', { derivation })
  await put(place, { 0: 1, 1: 2, 2: 3 })
  await eventually(async () => assert.deepEqual(await samplesOf(derived), { 0: 2, 1: 4, 2: 6 }))
  const job = await correct(place, asked('offset', 10, 1, 3))
  await eventually(async () => assert.deepEqual(await samplesOf(derived), { 0: 2, 1: 24, 2: 26 }))
  const max = () => device('GET', '/api/comp/source/stream/s/cycle/day/stat/max/feed')
  assert.equal((await max()).body[0].data, 13)
  await undo(place, job.uid)
  await eventually(async () => assert.deepEqual(await samplesOf(derived), { 0: 2, 1: 4, 2: 6 }))
  assert.equal((await max()).body[0].data, 3)
  const refused = await owner('POST', derived.path, asked('set', 1, 0, 3))
  assert.match(refused.body.message, /results of a formula/)
})

test('a correction needs POST on the feed, and is of the own organization', async () => {
  const place = await make('guarded')
  await put(place, { 0: 1 })
  const body = asked('set', 2, 0, 1)
  for (const path of [place.path, `${place.path}/preview`]) {
    assert.equal((await device('POST', path, body)).status, 403)
  }
  assert.equal((await device('GET', place.path)).status, 200)
  const organization = await owner('PUT', '/api/organization', { organization: { name: 'Second' } })
  const second = organization.body.organization.uid
  const foreign = await owner('POST', `${place.path}?org=${second}`, body)
  assert.equal(foreign.status, 404, foreign.text)
  const job = await correct(place, body)
  const other = await make('other')
  assert.equal((await owner('POST', `${other.path}/${job.uid}/undo`)).status, 404)
  const audit = await owner('GET', '/api/audit?act=samples_corrected&limit=1')
  assert.match(audit.body.audit[0].detail, /set 2, sd \d+, ed \d+, 1 samples/)
})

test('random corrections and undos give what a simple model gives', async () => {
  const seed = Number(process.env.WEIR_TEST_SEED ?? 4_242)
  let state = seed
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const place = await make('model')
  let model: Record<number, number> = {}
  const undos: { uid: string; before: Record<number, number>; after: Record<number, number> }[] = []
  for (let round = 0; round < 25; round++) {
    const many = Array.from({ length: 5 }, () => [random(40), random(100)] as const)
    const samples = Object.fromEntries(many)
    await put(place, samples)
    model = { ...model, ...samples }
    const from = random(40)
    const until = from + 1 + random(20)
    const inside = Object.entries(model).filter(([at]) => +at >= from && +at < until)
    if (inside.length > 0) {
      const action = ['delete', 'set', 'offset', 'scale'][random(4)]
      const value = random(9) - 4
      const job = await correct(
        place,
        asked(action, action === 'delete' ? undefined : value, from, until),
      )
      const before = Object.fromEntries(inside) as Record<number, number>
      const after: Record<number, number> = {}
      for (const [at, old] of inside) {
        delete model[Number(at)]
        if (action === 'delete') continue
        const changed = action === 'set' ? value : action === 'offset' ? old + value : old * value
        after[Number(at)] = changed
        model[Number(at)] = changed
      }
      undos.push({ uid: job.uid, before, after })
    }
    if (random(3) === 0 && undos.length > 0) {
      const [{ uid, before, after }] = undos.splice(random(undos.length), 1)
      await undo(place, uid)
      for (const [at, old] of Object.entries(before)) {
        if (Object.is(model[Number(at)], after[Number(at)])) model[Number(at)] = old
      }
    }
    const numbers = Object.fromEntries(Object.entries(model).map(([at, one]) => [at, one + 0]))
    assert.deepEqual(await samplesOf(place), numbers, `seed ${seed}, round ${round}`)
  }
})

test('what a device writes while a correction or its undo runs is not lost', async () => {
  const place = await make('busy')
  const minutes = Array.from({ length: 30_000 }, (_, minute) => minute)
  await put(place, Object.fromEntries(minutes.map((minute) => [minute, 1])))
  const written = new Map<number, number>()
  let number = 1_000_000
  /** One call answers 1,000 samples. */
  const allOf = async (): Promise<Record<number, unknown>> => {
    const found: Record<number, unknown> = {}
    for (let minute = 0; minute < 30_000; minute += 1_000) {
      const [sd, ed] = [minute, minute + 1_000].map((one) => START + one * 60_000)
      Object.assign(found, await samplesOf(place, `?sd=${sd}&ed=${ed}&limit=1000`))
    }
    return found
  }
  /** Writes until a job has ended. */
  const writeDuring = async (uid: string): Promise<void> => {
    let isRunning = true
    const writing = (async () => {
      for (; isRunning; number++) {
        const some = Array.from({ length: 50 }, (_, at) => (number * 7_919 + at * 613) % 30_000)
        await put(place, Object.fromEntries(some.map((minute) => [minute, number])))
        for (const minute of some) written.set(minute, number)
      }
    })()
    const job = await settled(uid).finally(() => {
      isRunning = false
    })
    await writing
    assert.equal(job.status, 'DONE', job.message)
  }
  const begun = await owner('POST', place.path, asked('offset', 0.5, 0, 30_000))
  assert.equal(begun.status, 202, begun.text)
  const { uid } = begun.body.job
  await writeDuring(uid)
  const corrected = await allOf()
  // What came before its part was changed is changed with it.
  const lost = [...written].filter(
    ([minute, value]) => ![value, value + 0.5].includes(corrected[minute] as number),
  )
  assert.deepEqual(
    lost.map(([minute, value]) => [minute, value, corrected[minute]]),
    [],
  )

  written.clear()
  const undone = await owner('POST', `${place.path}/${uid}/undo`)
  assert.equal(undone.status, 202, undone.text)
  await writeDuring(undone.body.job.uid)
  const restored = await allOf()
  assert.deepEqual(
    [...written].filter(([minute, value]) => restored[minute] !== value),
    [],
  )
})

test('of several undos of one correction, one is made', async () => {
  const place = await make('undone')
  await put(place, { 0: 1, 1: 2 })
  const { uid } = await correct(place, asked('offset', 10, 0, 2))
  const begun = await Promise.all(
    Array.from({ length: 4 }, () => owner('POST', `${place.path}/${uid}/undo`)),
  )
  const jobs: string[] = begun
    .filter(({ status }) => status === 202)
    .map(({ body }) => body.job.uid)
  const ends = await Promise.all(jobs.map(settled))
  assert.equal(ends.filter(({ status }) => status === 'DONE').length, 1)
  for (const { status, message } of ends) {
    if (status !== 'DONE') assert.match(message, /undone already/)
  }
  assert.deepEqual(await samplesOf(place), { 0: 1, 1: 2 })
})
