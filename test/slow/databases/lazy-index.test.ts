/** A process that loads organizations when they are used, beside one that has all of them, on one PostgreSQL. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../../src/base/index.ts'
import { type Catalog, openCatalog } from '../../../src/catalog/index.ts'
import type { CatalogStore } from '../../../src/store/index.ts'
import { PostgresCatalog } from '../../../src/store/postgres/index.ts'
import { ownerOf, people } from '../../support/catalog.ts'
import {
  assertFollows,
  type CatalogStep,
  catalogStep,
  doStep,
} from '../../support/catalog-steps.ts'
import { fc } from '../../support/fast-check.ts'
import { handleReserve, makePostgresHome } from '../../support/postgres-home.ts'
import { postgresqlSkip } from '../../support/postgresql-server.ts'

const skip = postgresqlSkip()

interface Opened {
  readonly all: Catalog
  readonly allStore: CatalogStore
  readonly lazy: Catalog
  readonly lazyStore: CatalogStore
}

/** Opens both; `onScanned` runs when the lazy one has read an organization and does not follow it yet. */
async function withBoth(
  onScanned: () => Promise<void>,
  run: (opened: Opened) => Promise<void>,
): Promise<void> {
  const home = await makePostgresHome()
  const reserveHandles = handleReserve()
  await using opened = new AsyncDisposableStack()
  opened.defer(() => home.dispose())
  const open = async () => {
    const database = await home.open()
    opened.defer(() => database.close())
    const store = new PostgresCatalog(database, { reserveHandles })
    opened.defer(() => store.close())
    return store
  }
  const allStore = await open()
  const lazyStore = await open()
  const { components } = lazyStore
  const scan = components.scanOrganization?.bind(components)
  components.scanOrganization = async (orgUid, receiver) => {
    const scanned = (await scan?.(orgUid, receiver)) ?? assert.fail()
    await onScanned()
    return scanned
  }
  const all = await openCatalog({ store: allStore, people, isShared: true })
  const lazy = await openCatalog({ store: lazyStore, people, isShared: true, isLazy: true })
  await run({ all, allStore, lazy, lazyStore })
}

async function doAll({ all, allStore }: Opened, orgUid: string, steps: readonly CatalogStep[]) {
  for (const one of steps) {
    await doStep(all, allStore, { orgUid, one }).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error
    })
  }
}

const steps = fc.array(catalogStep, { maxLength: 8 })

test('ensureLoaded() loads an organization as it is, whatever is committed meanwhile', {
  skip,
}, async () => {
  let onScanned = async () => {}
  await withBoth(
    () => onScanned(),
    async (opened) => {
      const { lazy, lazyStore } = opened
      let round = 0
      const scenario = fc.asyncProperty(steps, steps, steps, async (before, during, after) => {
        const [orgUid, otherUid] = [`org-${round}`, `other-${round}`]
        round += 1
        await doAll(opened, orgUid, before)
        await doAll(opened, otherUid, before)
        onScanned = async () => {
          await doAll(opened, orgUid, during)
          await lazy.refresh()
        }
        const { streamCount } = lazy.index
        await Promise.all([lazy.ensureLoaded(orgUid), lazy.ensureLoaded(orgUid)])
        assert.equal(lazy.ensureLoaded(orgUid), undefined)
        await assertFollows(lazy, lazyStore, orgUid)
        await doAll(opened, orgUid, after)
        await doAll(opened, otherUid, after)
        await lazy.refresh()
        await assertFollows(lazy, lazyStore, orgUid)
        const usage = await lazyStore.usage(orgUid)
        const streams = usage.find(({ kind }) => kind === 'stream')?.documents ?? 0
        assert.equal(
          lazy.index.streamCount,
          streamCount + streams,
          'only this organization is loaded',
        )
      })
      await fc.assert(scenario, { numRuns: 15 })
      await assertFollows(lazy, lazyStore, 'org-0')
    },
  )
})

test('ensureLoaded() fails as a whole, and the next call loads', { skip }, async () => {
  let fails = true
  await withBoth(
    async () => {
      if (fails) throw new Error('PostgreSQL is away')
    },
    async ({ all, lazy, lazyStore }) => {
      const owner = ownerOf('org')
      await all.components.insert(owner, { id: 'a', stream: [{ id: 's' }, { id: 't' }] })
      await assert.rejects(async () => lazy.ensureLoaded('org'), /is away/)
      assert.deepEqual([lazy.index.componentCount, lazy.index.streamCount], [0, 0])
      fails = false
      await lazy.ensureLoaded('org')
      assert.deepEqual([lazy.index.componentCount, lazy.index.streamCount], [1, 2])
      await assertFollows(lazy, lazyStore, 'org')
      const made = await lazy.components.insert(owner, { id: 'b', stream: [{ id: 's' }] })
      await all.refresh()
      assert.equal(all.index.componentByUid('org', made.uid)?.compId, 'b')
    },
  )
})

test('a lazy process knows the derived streams of an organization that it has loaded', {
  skip,
}, async () => {
  await withBoth(
    async () => {},
    async ({ all, lazy }) => {
      const owner = ownerOf('org')
      const made = await all.components.insert(owner, {
        id: 'pump',
        stream: [{ id: 'flow', valueType: 'DOUBLE' }],
      })
      const [source] = made.stream ?? []
      await all.streams.insert(owner, made.uid, {
        id: 'double',
        derivation: {
          expression: 'x * 2',
          variables: [{ name: 'x', streamUid: source.uid }],
        },
      })
      const handle = all.index.streamByUid('org', source.uid)
      assert.ok(handle !== 0 && all.derivations.hasDependents(handle))
      assert.ok(!lazy.derivations.hasDependents(handle))
      await lazy.ensureLoaded('org')
      assert.deepEqual(lazy.derivations.dependentsOf(handle), all.derivations.dependentsOf(handle))
    },
  )
})
