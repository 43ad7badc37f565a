import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusal } from '../../src/base/index.ts'
import type { WantedComponent } from '../../src/catalog/create/index.ts'
import { openCatalog } from '../../src/catalog/index.ts'
import { type CatalogStore, type CatalogWrite, withCommit } from '../../src/store/index.ts'
import { type OpenedCatalog, people, withCatalog } from '../support/catalog.ts'

const ORG = 'org-1'

function device(compId: string, ...streamIds: readonly string[]): WantedComponent[] {
  const streams = streamIds.map((streamId) => ({ streamId, valueType: 'DOUBLE' as const }))
  return [{ compId, rules: {}, streams }]
}

/** The IDs of the components that writes create. */
function createdBy(writes: readonly CatalogWrite[]): readonly string[] {
  return writes.flatMap((write) => (write.op === 'create' ? write.ids : []))
}

/** The catalog once more, over a store whose commits wait for `before`. */
async function catalogOver(
  { store, clock }: OpenedCatalog,
  before: (writes: readonly CatalogWrite[]) => void | Promise<void>,
) {
  const commit: CatalogStore['commit'] = async (writes, lease, limits) => {
    await before(writes)
    return await store.commit(writes, lease, limits)
  }
  return await openCatalog({ store: withCommit(store, commit), people, clock })
}

test('devices that connect at once each get their own handles', () =>
  withCatalog(async (opened) => {
    const { catalog } = opened
    const created = await Promise.all([
      catalog.autoCreate(ORG, device('a', 's', 't')),
      catalog.autoCreate('org-2', device('a', 's')),
      catalog.autoCreate(ORG, device('b', 's')),
      catalog.autoCreate(ORG, device('c', 't', 'u', 'v')),
    ])
    const handles = created.map(([component]) => component.handles)
    const check = ({ index }: OpenedCatalog['catalog']) =>
      assert.deepEqual(handles, [
        [index.resolve(ORG, 'a', 's'), index.resolve(ORG, 'a', 't')],
        [index.resolve('org-2', 'a', 's')],
        [index.resolve(ORG, 'b', 's')],
        ['t', 'u', 'v'].map((id) => index.resolve(ORG, 'c', id)),
      ])
    check(catalog)
    assert.equal(new Set(handles.flat()).size, 7)
    await opened.restart()
    check(opened.catalog)
  }))

test('one commit creates all components and streams of a call that share a folder', () =>
  withCatalog(async (opened) => {
    const commits: (readonly CatalogWrite[])[] = []
    const catalog = await catalogOver(opened, (writes) => void commits.push(writes))
    const inYard = device('c', 's').map((one) => ({
      ...one,
      rules: { folder: '/Components/yard' },
    }))
    const wanted = [...device('a', 's', 't'), ...device('b', 's'), ...inYard, ...device('d', 's')]
    const created = await catalog.autoCreate(ORG, wanted)
    assert.deepEqual(
      commits.map((writes) => writes.map(({ op, kind }) => `${op} ${kind}`)),
      [['put component_folder', 'create component', 'create component']],
    )
    assert.deepEqual(createdBy(commits[0]), ['a', 'b', 'd', 'c'])
    const { index } = catalog
    for (const { component, handles, isNew } of created) {
      assert.ok(isNew)
      assert.deepEqual(index.resolveComponent(ORG, component.compId)?.streams, handles)
    }
    await opened.restart()
    for (const { component, handles } of created) {
      assert.deepEqual(opened.catalog.index.componentByUid(ORG, component.uid)?.streams, handles)
    }
  }))

test('two calls that create the same component make it once, and hold nobody else up', () =>
  withCatalog(async ({ catalog }) => {
    const [[other], [one], [two]] = await Promise.all([
      catalog.autoCreate(ORG, device('other', 's')),
      catalog.autoCreate(ORG, device('same', 's', 't')),
      catalog.autoCreate(ORG, device('same', 't', 'u')),
    ])
    const { index } = catalog
    assert.deepEqual(other.handles, [index.resolve(ORG, 'other', 's')])
    assert.equal([one, two].filter(({ isNew }) => isNew).length, 1)
    const handleOf = (id: string) => index.resolve(ORG, 'same', id)
    assert.deepEqual(
      [one.handles, two.handles],
      [['s', 't'].map(handleOf), ['t', 'u'].map(handleOf)],
    )
    assert.equal(index.resolveComponent(ORG, 'same')?.streamCount, 3)
  }))

test('what is refused of one call is refused to it alone', () =>
  withCatalog(async (opened) => {
    const catalog = await catalogOver(opened, (writes) => {
      if (!createdBy(writes).includes('big')) return
      throw refusal('quota_exceeded', { max: 1, counted: 'streams' })
    })
    const [small, big, bad] = await Promise.allSettled([
      catalog.autoCreate(ORG, device('small', 's')),
      catalog.autoCreate(ORG, device('big', 's')),
      catalog.autoCreate(ORG, device('', 's')),
    ])
    const { index } = catalog
    assert.deepEqual(small.status === 'fulfilled' && small.value.map(({ handles }) => handles), [
      [index.resolve(ORG, 'small', 's')],
    ])
    assert.equal(big.status === 'rejected' && big.reason.code, 'quota_exceeded')
    assert.equal(bad.status === 'rejected' && bad.reason.code, 'bad_input')
    assert.equal(index.resolveComponent(ORG, 'big'), undefined)
  }))

test('a creation that a failing disk ends is made when it is sent again', () =>
  withCatalog(async (opened) => {
    let isGone = true
    const catalog = await catalogOver(opened, () => {
      if (isGone) throw new Error('the disk is gone')
    })
    const makings = ['a', 'b'].map((id) => catalog.autoCreate(ORG, device(id, 's')))
    for (const making of makings) await assert.rejects(making, /the disk is gone/)
    assert.equal(catalog.index.componentCount, 0)
    isGone = false
    const [{ handles }] = await catalog.autoCreate(ORG, device('a', 's'))
    assert.deepEqual(handles, [catalog.index.resolve(ORG, 'a', 's')])
  }))
