import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusal } from '../../src/base/index.ts'
import { openCatalog, VALUE_CODE, type WantedFleet } from '../../src/catalog/index.ts'
import { type CatalogStore, type CatalogWrite, withCommit } from '../../src/store/index.ts'
import { type OpenedCatalog, people, withCatalog } from '../support/catalog.ts'

const ORG = 'org-1'

function device(compId: string, ...streamIds: readonly string[]): WantedFleet {
  const valueCodes = streamIds.map(() => VALUE_CODE.DOUBLE)
  return { compIds: [compId], streamCounts: [streamIds.length], streamIds, valueCodes }
}

/** The IDs of each commit's components. */
function componentsIn(writes: readonly CatalogWrite[]): string {
  return writes.flatMap((write) => (write.op === 'fleet' ? write.compIds : [])).join()
}

/** The catalog once more, over a store whose commits go through `commit`. */
async function catalogOver(
  { store, clock }: OpenedCatalog,
  commit: (writes: readonly CatalogWrite[], commit: CatalogStore['commit']) => Promise<unknown>,
) {
  const over = withCommit(store, async (writes, lease, limits) => {
    let made: Awaited<ReturnType<CatalogStore['commit']>> = []
    await commit(writes, async () => {
      made = await store.commit(writes, lease, limits)
      return made
    })
    return made
  })
  return await openCatalog({ store: over, people, clock })
}

test('devices that sign on at once share commits, and each is told its own handles', () =>
  withCatalog(async (opened) => {
    const commits: string[] = []
    const catalog = await catalogOver(opened, async (writes, commit) => {
      commits.push(componentsIn(writes))
      await commit(writes)
    })
    const first = await Promise.all([
      catalog.createFleet(ORG, device('a', 's', 't')),
      catalog.createFleet('org-2', device('a', 's')),
      catalog.createFleet(ORG, device('b', 's')),
      catalog.createFleet(ORG, device('c', 't', 'u', 'v')),
    ])
    assert.deepEqual(commits.toSorted(), ['a', 'a,b,c'])
    const { index } = catalog
    assert.deepEqual(first, [
      index.resolve(ORG, 'a', 's'),
      index.resolve('org-2', 'a', 's'),
      index.resolve(ORG, 'b', 's'),
      index.resolve(ORG, 'c', 't'),
    ])
    await opened.restart()
    const found = opened.catalog.index.resolveComponent(ORG, 'c')?.streams
    assert.deepEqual(found, [first[3], Number(first[3]) + 1, Number(first[3]) + 2])
  }))

test('who comes while a commit is under way shares the next one', () =>
  withCatalog(async (opened) => {
    const commits: string[] = []
    const begun = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const catalog = await catalogOver(opened, async (writes, commit) => {
      commits.push(componentsIn(writes))
      begun.resolve()
      await release.promise
      await commit(writes)
    })
    const makings = [catalog.createFleet(ORG, device('a', 's'))]
    await begun.promise
    makings.push(catalog.createFleet(ORG, device('b', 's')))
    makings.push(catalog.createFleet(ORG, device('c', 's')))
    const many = Array.from({ length: 300 }, (_, at) => `s${at}`)
    const long = catalog.createFleet(ORG, device('long', ...many))
    release.resolve()
    await Promise.all([...makings, long])
    assert.deepEqual(commits, ['a', 'long', 'b,c'])
  }))

test('so much gathers only: what is more goes beside the commit under way', () =>
  withCatalog(async (opened) => {
    const commits: string[] = []
    const release = Promise.withResolvers<void>()
    const both = Promise.withResolvers<void>()
    const catalog = await catalogOver(opened, async (writes, commit) => {
      commits.push(componentsIn(writes))
      if (commits.length === 2) both.resolve()
      await release.promise
      await commit(writes)
    })
    const streams = Array.from({ length: 200 }, (_, at) => `s${at}`)
    const makings = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'].map((id) =>
      catalog.createFleet(ORG, device(id, ...streams)),
    )
    await both.promise
    assert.deepEqual(commits, ['a,b,c,d,e', 'f,g,h,i,j'])
    release.resolve()
    const handles = await Promise.all(makings)
    assert.equal(new Set(handles).size, 11)
    assert.equal(commits[2], 'k')
  }))

test('two calls that create the same component make it once, and hold nobody else up', () =>
  withCatalog(async ({ catalog }) => {
    const [other, ...same] = await Promise.all([
      catalog.createFleet(ORG, device('other', 's')),
      catalog.createFleet(ORG, device('same', 's')),
      catalog.createFleet(ORG, device('same', 't')),
    ])
    assert.equal(other, catalog.index.resolve(ORG, 'other', 's'))
    assert.equal(same.filter((handle) => handle === undefined).length, 1)
    const [made] = same.filter((handle) => handle !== undefined)
    assert.deepEqual(catalog.index.resolveComponent(ORG, 'same')?.streams, [made])
    assert.equal(await catalog.createFleet(ORG, device('same', 's')), undefined)
  }))

test('what is refused of one call is refused to it alone', () =>
  withCatalog(async (opened) => {
    const catalog = await catalogOver(opened, async (writes, commit) => {
      if (componentsIn(writes).includes('big')) {
        throw refusal('quota_exceeded', { max: 1, counted: 'streams' })
      }
      await commit(writes)
    })
    const [small, big, bad] = await Promise.allSettled([
      catalog.createFleet(ORG, device('small', 's')),
      catalog.createFleet(ORG, device('big', 's')),
      catalog.createFleet(ORG, device('', 's')),
    ])
    assert.deepEqual(small, {
      status: 'fulfilled',
      value: catalog.index.resolve(ORG, 'small', 's'),
    })
    assert.equal(big.status === 'rejected' && big.reason.code, 'quota_exceeded')
    assert.equal(bad.status === 'rejected' && bad.reason.code, 'bad_input')
    assert.equal(catalog.index.resolveComponent(ORG, 'big'), undefined)
  }))

test('a disk that fails fails all of a commit once, and the next one is tried again', () =>
  withCatalog(async (opened) => {
    let tried = 0
    const catalog = await catalogOver(opened, async (writes, commit) => {
      tried += 1
      if (tried === 1) throw new Error('the disk is gone')
      await commit(writes)
    })
    const makings = ['a', 'b'].map((id) => catalog.createFleet(ORG, device(id, 's')))
    const outcomes = await Promise.allSettled(makings)
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    assert.equal(tried, 1)
    assert.ok(Number(await catalog.createFleet(ORG, device('a', 's'))) > 0)
  }))
