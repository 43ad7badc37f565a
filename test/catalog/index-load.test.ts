import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Catalog } from '../../src/catalog/index.ts'
import { withCatalog } from '../support/catalog.ts'

/** IDs that a row has as they are, in escapes or as UTF-8, and such as are longer than most. */
const ODD_IDS = ['plain', 'with space', '"', '\\', 'a\\"b', 'Zürich', '温度', '😀', 'line\nfeed']
const LONG_IDS = [255, 256, 512].flatMap((length) => ['x'.repeat(length), 'é'.repeat(length)])

/** Components from one with no stream to one with several rows of them. */
const COUNTS = [0, 1, 2, 7, 8, 9, 10, 127, 128, 129, 300]

interface Known {
  readonly compId: string
  readonly uid: string
  readonly timeZone: string
  readonly streams: readonly { streamId: string; uid: string; handle: number; order: number }[]
}

/** Everything that the index knows of some components. */
function lookUp({ index }: Catalog, orgUid: string, compIds: readonly string[]): Known[] {
  return compIds.map((compId) => {
    const component = index.resolveComponent(orgUid, compId)
    assert.ok(component !== undefined, compId)
    assert.equal(index.componentByUid(orgUid, component.uid)?.ref, component.ref)
    const streams = component.streams.map((handle) => {
      const streamId = index.streamIdOf(handle)
      const uid = index.streamUid(handle)
      assert.equal(index.resolve(orgUid, compId, streamId), handle)
      assert.equal(index.streamByUid(orgUid, uid), handle)
      assert.equal(index.valueCodeOf(handle) > 0, true)
      return { streamId, uid, handle, order: index.orderOf(handle) }
    })
    assert.equal(component.streamCount, streams.length)
    assert.equal(index.resolve(orgUid, compId, 'nothing'), 0)
    return { compId: component.compId, uid: component.uid, timeZone: component.timeZone, streams }
  })
}

test('a start loads what the index had before', async () => {
  await withCatalog(async (opened) => {
    const orgs = [randomUUID(), randomUUID()]
    const ids = [...ODD_IDS, ...LONG_IDS]
    const counted = COUNTS.map((count) => `of ${count}`)
    for (const orgUid of orgs) {
      const stream = (streamId: string) => ({ streamId, valueType: 'DOUBLE' as const })
      await opened.catalog.autoCreate(orgUid, [
        ...ids.map((compId) => ({ compId, rules: {}, streams: ids.map(stream) })),
        ...COUNTS.map((count) => ({
          compId: `of ${count}`,
          rules: {},
          streams: Array.from({ length: count }, (_, at) => stream(`stream ${at}`)),
        })),
      ])
    }
    // Streams that come later have handles that do not count on from those of their component.
    for (const orgUid of orgs) {
      const streams = [{ streamId: 'later', valueType: 'BOOLEAN' as const }]
      const wanted = counted.map((compId) => ({ compId, rules: {}, streams }))
      await opened.catalog.autoCreate(orgUid, wanted)
    }
    const all = [...ids, ...counted]
    const before = orgs.map((orgUid) => lookUp(opened.catalog, orgUid, all))
    await opened.restart()
    assert.deepEqual(
      orgs.map((orgUid) => lookUp(opened.catalog, orgUid, all)),
      before,
    )
    // What is loaded is changed like what was made.
    const [orgUid] = orgs
    const streams = [{ streamId: 'last', valueType: 'LONG' as const }]
    await opened.catalog.autoCreate(
      orgUid,
      all.map((compId) => ({ compId, rules: {}, streams })),
    )
    for (const { compId, streams: own } of lookUp(opened.catalog, orgUid, all)) {
      assert.equal(own.at(-1)?.streamId, 'last', compId)
      assert.equal(new Set(own.map(({ uid }) => uid)).size, own.length)
    }
  })
})
