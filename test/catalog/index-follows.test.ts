import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal, refuse } from '../../src/base/index.ts'
import { type Catalog, openCatalog } from '../../src/catalog/index.ts'
import { ownerOf, people, withCatalog } from '../support/catalog.ts'
import { assertFollows, catalogStep, doStep } from '../support/catalog-steps.ts'
import { fc } from '../support/fast-check.ts'

test('the index follows every edit, as a restart and another process see it', () =>
  withCatalog(async (opened) => {
    const { catalog, store, clock } = opened
    const onlooker = await openCatalog({ store, people, clock })
    let round = 0
    const scenario = fc.asyncProperty(fc.array(catalogStep, { maxLength: 14 }), async (steps) => {
      const orgUid = `org-${round++}`
      for (const one of steps) {
        await doStep(catalog, store, { orgUid, one }).catch((error: unknown) => {
          if (!(error instanceof Refusal)) throw error
        })
      }
      await assertFollows(catalog, store, orgUid)
      await onlooker.refresh()
      await assertFollows(onlooker, store, orgUid)
    })
    await fc.assert(scenario, { numRuns: 40 })
    await opened.restart()
    for (let number = 0; number < round; number++) {
      await assertFollows(opened.catalog, opened.store, `org-${number}`)
    }
  }))

test('two catalogs on one store that create and delete at once agree in the end', () =>
  withCatalog(async ({ catalog, store, clock }) => {
    const other = await openCatalog({ store, people, clock })
    const put = (on: Catalog, number: number) =>
      on.autoCreate('org', [
        {
          compId: `c${number % 3}`,
          rules: { folder: '/Components/f' },
          streams: [{ streamId: `s${number % 7}`, valueType: 'DOUBLE' }],
        },
      ])
    const calls = Array.from({ length: 30 }, (_, number) =>
      put([catalog, other][number % 2], number),
    )
    const results = await Promise.all(calls)
    assert.equal(new Set(results.map(([{ component }]) => component.uid)).size, 3)
    await Promise.all([catalog.refresh(), other.refresh()])
    await assertFollows(catalog, store, 'org')
    await assertFollows(other, store, 'org')
  }))

test('a deletion that failed in its listeners is reported again after a restart', () =>
  withCatalog(async (opened) => {
    const owner = ownerOf('org')
    const made = await opened.catalog.components.insert(owner, { stream: [{ valueType: 'FILE' }] })
    opened.catalog.onStreamsDeleted(() => {
      throw new Error('the disk is gone')
    })
    await assert.rejects(opened.catalog.components.delete(owner, made.uid), /the disk is gone/)
    await opened.restart()
    assert.equal(opened.catalog.index.streamCount, 0)
    const reported: unknown[] = []
    opened.catalog.onStreamsDeleted((streams) => {
      reported.push(...streams)
    })
    await opened.catalog.resumeDeletions()
    assert.deepEqual(reported, [{ orgUid: 'org', handle: 1, valueCode: 13 }])
    await opened.catalog.resumeDeletions()
    assert.equal(reported.length, 1)
  }))

test('a deletion succeeds on a disk that fills up before its notice is removed, and is reported again after a restart', () =>
  withCatalog(async (opened) => {
    const owner = ownerOf('org')
    const made = await opened.catalog.components.insert(owner, {
      stream: [{ id: 's' }, { id: 't' }],
    })
    const reported: unknown[] = []
    const listen = () =>
      opened.catalog.onStreamsDeleted((streams) => void reported.push(...streams))
    const fill = () =>
      Object.assign(opened.store, {
        commit: async () =>
          refuse('read_only', {
            what: 'Cannot store this: the disk is full',
            retryAfterSeconds: 5,
          }),
      })
    listen()
    opened.catalog.onStreamsDeleted(() => void fill())
    await opened.catalog.components.delete(owner, made.uid)
    assert.equal(reported.length, 2)
    await opened.restart()
    assert.equal(opened.catalog.index.streamCount, 0)
    listen()
    const { commit } = opened.store
    fill()
    // A start on a disk that is still full does not hang on it.
    await opened.catalog.resumeDeletions()
    Object.assign(opened.store, { commit })
    await opened.catalog.resumeDeletions()
    assert.equal(reported.length, 6)
    await opened.catalog.resumeDeletions()
    assert.equal(reported.length, 6)
  }))
