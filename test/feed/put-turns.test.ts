/** Long puts let other calls in between: what these change must not show halfway. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { nextTurn, Refusal, STREAMS_CREATED_PER_CALL_MAX } from '../../src/base/index.ts'
import type { Catalog, StreamInput } from '../../src/catalog/index.ts'
import { Feed, IncomingSamples, VALUE_TEXT } from '../../src/feed/index.ts'
import { openSampleStore } from '../../src/store/embedded/index.ts'
import type { StreamHandle } from '../../src/store/index.ts'
import { anyFeed, keyWith, openFeedHome } from '../support/feed-home.ts'

/** Several times what is looked at in one turn. */
const MANY = 50_000
const everything = keyWith(['*', 'GET PUT POST DELETE'])
const options = {
  ...{ creation: {}, isAutofill: false },
  ...{ deriveStreamsMax: 1, deriveTimeoutMs: 0 },
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

test('put() of many samples follows the type that another put gave the stream meanwhile', async (t) => {
  const home = await openFeed(t, { u: {} })
  const short = home.put('compId=c&u=x&time=-1')
  const catalog: Catalog = Object.assign(Object.create(home.catalog), {
    index: home.catalog.index,
    async setValueTypes(untyped: Parameters<Catalog['setValueTypes']>[0]) {
      await short
      await home.catalog.setValueTypes(untyped)
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
    const folder = mkdtempSync(join(tmpdir(), 'weir-turns-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const store = await openSampleStore({ folder })
    home.catalog.onStreamsDeleted((gone) => store.forget(gone.map(({ handle }) => handle)))
    const feed = new Feed({ ...home, store, showFile: String })
    const handle = home.handleOf('s')
    const samples = manySamples(handle, valueType === 'STRING')
    const put = feed.put(anyFeed, { samples, options, uploadTime: 0 })
    await nextTurn()
    const uid = home.catalog.index.resolveComponent('o', 'c')?.uid ?? ''
    await Promise.all([put, home.catalog.components.delete(everything, uid)])
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
      assert.match(error.message, /more than 20000 streams in one call: send it in parts/)
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
