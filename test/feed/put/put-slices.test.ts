/** Long puts let other calls in between: what these change must not show halfway. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  MemoryBudget,
  nextIteration,
  Refusal,
  STREAMS_CREATED_PER_CALL_MAX,
} from '../../../src/base/index.ts'
import type { Catalog } from '../../../src/catalog/index.ts'
import { type StreamInput, VALUE_TYPES } from '../../../src/catalog/shape/index.ts'
import { Feed, IncomingSamples, VALUE_TEXT } from '../../../src/feed/index.ts'
import { FeedCalls } from '../../../src/http/feed/feed-calls.ts'
import { openSampleStore } from '../../../src/store/embedded/index.ts'
import type { StreamHandle } from '../../../src/store/index.ts'
import { anyFeed, type FeedHome, keyWith, openFeedHome } from '../../support/feed-home.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Several times what is looked at in one turn. */
const MANY = 50_000
const everything = keyWith(['*', 'GET PUT POST DELETE'])
const options = {
  creation: {},
  isAutofill: false,
  deriveStreamsMax: 1,
  deriveTimeoutMs: 0,
}

/** Adds a stream from another process, which no lock of this one keeps away. */
async function insertStream(home: FeedHome, stream: StreamInput): Promise<void> {
  const uid = home.catalog.index.resolveComponent('o', 'c')?.uid ?? ''
  const catalog = await home.openAnother()
  await catalog.streams.insert(everything, uid, stream)
}

async function openFeed(t: TestContext, streams: Record<string, StreamInput>) {
  const home = await openFeedHome(streams)
  t.after(() => home.close())
  const handleOf = (id: string) => home.catalog.index.resolve('o', 'c', id) as StreamHandle
  return { ...home, handleOf }
}

function manySamples(handle: StreamHandle, texts = false): IncomingSamples {
  const samples = new IncomingSamples()
  for (let at = 0; at < MANY; at++) {
    const text = texts ? `text ${at}` : undefined
    if (text === undefined) samples.addNumber(handle, at, at)
    else samples.add(handle, at, { kind: VALUE_TEXT, number: 0, text })
  }
  return samples
}

/** A feed whose puts meet `other` after their values were checked and before they create anything. */
function raced(home: FeedHome, other: () => Promise<unknown>): (query: string) => Promise<string> {
  let isOver = false
  const catalog: Catalog = Object.assign(Object.create(home.catalog), {
    index: home.catalog.index,
    autoCreate(...[orgUid, wanted, check]: Parameters<Catalog['autoCreate']>) {
      return home.catalog.autoCreate(orgUid, wanted, async (prepared) => {
        const inferred = await check?.(prepared)
        if (!isOver) await other()
        isOver = true
        return inferred
      })
    },
  })
  const calls = new FeedCalls(
    new Feed({ ...home, catalog, showFile: String }),
    new MemoryBudget(1e9),
  )
  return (query) => calls.put(anyFeed, query, Buffer.alloc(0), { warn: () => {} })
}

test('put() stores texts as they were sent when a race makes their stream one of texts', async (t) => {
  const home = await openFeed(t, { u: {} })
  const text = { handle: home.handleOf('u'), valueType: 'STRING' } as const
  const races = {
    u: () => home.catalog.applyInferredTypes([text]),
    fresh: () => insertStream(home, { id: 'fresh', valueType: 'STRING' }),
  }
  for (const [id, other] of Object.entries(races)) {
    const put = raced(home, other)
    await put(`compId=c&${id}=007.50&time=5`)
    assert.deepEqual(await home.get(id), [{ time: 5, data: '007.50' }], id)
  }
})

test('put() that a race refuses leaves no stream and no type behind', async (t) => {
  const home = await openFeed(t, { u: {}, other: {} })
  const long = { handle: home.handleOf('u'), valueType: 'LONG' } as const
  const put = raced(home, () => home.catalog.applyInferredTypes([long]))
  const refused = put('compId=c&u=1.5&other=2&made=3')
  await assert.rejects(refused, /value 0 of "u": "data" must be an integer/)
  assert.equal(home.handleOf('made'), 0)
  assert.equal(home.catalog.index.valueCodeOf(home.handleOf('other')), 0)
  assert.deepEqual(await home.get(), [])
})

test('put() to a stream that another call has made without a type gives it one', async (t) => {
  const home = await openFeed(t, {})
  const put = raced(home, () => insertStream(home, { id: 's' }))
  await put('compId=c&s=1&time=1')
  assert.equal(VALUE_TYPES[home.catalog.index.valueCodeOf(home.handleOf('s'))], 'DOUBLE')
  await assert.rejects(home.put('compId=c&s=text'), /must be a finite number/)
})

test('put() whose data leads to a stream that a race has put in its place is refused', async (t) => {
  const home = await openFeed(t, { a: { valueType: 'DOUBLE' } })
  const put = raced(home, () => insertStream(home, { id: 'b' }))
  const refused = put('compId=c&data=1&data=2&b=3')
  await assert.rejects(refused, /Stream "b" is given twice/)
  assert.deepEqual(await home.get(), [])
})

test('put() is refused when a stream of it is deleted while the call runs', async (t) => {
  for (const valueType of ['DOUBLE', 'STRING'] as const) {
    const home = await openFeed(t, { s: { valueType }, n: {} })
    const uid = home.catalog.index.streamUid(home.handleOf('s'))
    const component = home.catalog.index.resolveComponent('o', 'c')?.uid ?? ''
    const remove = () => home.catalog.streams.delete(everything, component, uid)
    const put = raced(home, remove)
    const refused = put('compId=c&s=1&n=2&time=1')
    await assert.rejects(refused, {
      code: 'conflict',
      message: /deleted while the request was running. Send it again/,
    })
    assert.deepEqual(await home.get(), [], valueType)
    await home.put('compId=c&s=1&n=2&time=1')
    assert.equal((await home.get()).length, 2)
  }
})

test('put() of a new stream is refused when its component is deleted while the call runs', async (t) => {
  const home = await openFeed(t, { s: { valueType: 'DOUBLE' } })
  const component = home.catalog.index.resolveComponent('o', 'c')?.uid ?? ''
  const catalog: Catalog = Object.assign(Object.create(home.catalog), {
    index: home.catalog.index,
    async autoCreate(...plan: Parameters<Catalog['autoCreate']>) {
      await home.catalog.components.delete(everything, component)
      return await home.catalog.autoCreate(...plan)
    },
  })
  const feed = new Feed({ ...home, catalog, showFile: String })
  const samples = new IncomingSamples()
  samples.open.push({ compId: 'c', streamId: 'added', samples: [0] })
  samples.addNumber(0, 1, 1)
  const refused = feed.put(anyFeed, { samples, options, uploadTime: 0 })
  await assert.rejects(refused, {
    code: 'conflict',
    message: /deleted while the request was running. Send it again/,
  })
  assert.equal(home.catalog.index.componentCount, 0)
  await home.put('compId=c&s=1&added=2&time=1')
  assert.equal((await home.get()).length, 2)
})

test('put() of samples that were read before their stream was deleted is refused', async (t) => {
  const home = await openFeed(t, { s: { valueType: 'DOUBLE' } })
  const samples = new IncomingSamples()
  samples.addNumber(home.handleOf('s'), 1, 1)
  const component = home.catalog.index.resolveComponent('o', 'c')?.uid ?? ''
  await home.catalog.components.delete(everything, component)
  const put = new Feed({ ...home, showFile: String }).put(anyFeed, {
    samples,
    options,
    uploadTime: 0,
  })
  await assert.rejects(put, { code: 'conflict' })
})

test('put() of many samples follows the type that another put gave the stream meanwhile', async (t) => {
  const home = await openFeed(t, { u: {} })
  const short = home.put('compId=c&u=x&time=-1')
  const catalog: Catalog = Object.assign(Object.create(home.catalog), {
    index: home.catalog.index,
    async autoCreate(...plan: Parameters<Catalog['autoCreate']>) {
      await short
      return await home.catalog.autoCreate(...plan)
    },
  })
  const feed = new Feed({ ...home, catalog, showFile: String })
  const samples = manySamples(home.handleOf('u'))
  await feed.put(anyFeed, { samples, options, uploadTime: 0 })
  const stored = await home.get('u', 'limit=3')
  assert.deepEqual(
    stored.map(({ data }) => data),
    [MANY - 1, MANY - 2, MANY - 3].map(String),
  )
})

test('put() of many samples to a stream that is deleted meanwhile leaves nothing of it', async (t) => {
  const minute = { streamType: 'intvl_stream', baseCycle: { id: 'minute' } } as const
  for (const [valueType, isInterval] of [
    ['DOUBLE', true],
    ['STRING', false],
  ] as const) {
    // biome-ignore format: short
    const home = await openFeed(t, { s: { valueType, ...(isInterval ? minute : {}) } })
    const folder = temporaryFolder()
    const store = await openSampleStore({ folder })
    home.catalog.onStreamsDeleted((gone) => store.forget(gone.map(({ handle }) => handle)))
    const feed = new Feed({ ...home, store, showFile: String })
    const handle = home.handleOf('s')
    const samples = manySamples(handle, valueType === 'STRING')
    const put = feed.put(anyFeed, { samples, options, uploadTime: 0 })
    await nextIteration()
    const uid = home.catalog.index.resolveComponent('o', 'c')?.uid ?? ''
    // Where the put is through before the deletion is, its samples go with the stream.
    const putting = put.then(
      () => {},
      (error: Refusal) => assert.equal(error.code, 'conflict'),
    )
    await Promise.all([putting, home.catalog.components.delete(everything, uid)])
    // Once sealed and opened again the store knows of the deletion no more: all must be gone.
    await store.sealAll()
    await store.close()
    const again = await openSampleStore({ folder })
    assert.equal(await again.span(handle), undefined, `${valueType} samples are left`)
    await again.close()
  }
})

test('put() that would create more streams than one call may is refused whole', async (t) => {
  const home = await openFeed(t, {})
  const check = async (body: object[], query = '') => {
    await assert.rejects(home.putJson(body, query), (error) => {
      assert.ok(error instanceof Refusal)
      assert.equal(error.status, 400)
      assert.match(error.message, /more than 20000 streams in one request. Split the request/)
      return true
    })
    assert.equal(home.catalog.index.streamCount, 0)
    assert.equal(home.catalog.index.componentCount, 1)
  }
  const sample = (compId: string, streamId: string) => ({ compId, streamId, data: 1, time: 1 })
  const streams = (count: number) => Array.from({ length: count }, (_, at) => sample('c', `s${at}`))
  await check(streams(STREAMS_CREATED_PER_CALL_MAX + 1))
  const stream = Array.from({ length: 1_000 }, (_, at) => ({ id: `t${at}` }))
  await home.catalog.templates.insert(everything, { id: 'tmpl', stream })
  const components = (count: number) =>
    Array.from({ length: count }, (_, at) => sample(`m${at}`, 't0'))
  await check(components(21), 'compTmplId=tmpl')
  await home.putJson(components(20), 'compTmplId=tmpl')
  assert.equal(home.catalog.index.streamCount, STREAMS_CREATED_PER_CALL_MAX)
})
