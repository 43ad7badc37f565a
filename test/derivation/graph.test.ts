import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Catalog, openCatalog } from '../../src/catalog/index.ts'
import type { StreamInput } from '../../src/catalog/shape/index.ts'
import { CatalogGraph, isProblem } from '../../src/derivation/index.ts'
import type { StreamHandle } from '../../src/store/index.ts'
import { ownerOf, people, withCatalog } from '../support/catalog.ts'

const ORG = 'org-1'
const owner = ownerOf(ORG)

function over(expression: string, ...ids: string[]): NonNullable<StreamInput['derivation']> {
  return { expression, variables: ids.map((id) => ({ name: id, streamId: id })) }
}

function handleOf({ index }: Catalog, compId: string, streamId: string): StreamHandle {
  const handle = index.resolve(ORG, compId, streamId)
  assert.notEqual(handle, 0, `${compId} / ${streamId}`)
  return handle as StreamHandle
}

test('the graph knows dependents and sources as soon as a save is answered, and after a restart', () =>
  withCatalog(async (opened) => {
    assert.equal(new CatalogGraph(opened.catalog).isEmpty, true)
    const stream = [
      { id: 'total', derivation: over('sum * 2', 'sum') },
      { id: 'sum', derivation: over('a + b + a', 'a', 'b') },
      { id: 'a', valueType: 'DOUBLE' },
      { id: 'b', valueType: 'DOUBLE' },
    ] satisfies StreamInput[]
    await opened.catalog.components.insert(owner, { id: 'c', stream })
    const check = () => {
      const { catalog } = opened
      const graph = new CatalogGraph(catalog)
      const of = (id: string) => handleOf(catalog, 'c', id)
      assert.equal(graph.isEmpty, false)
      assert.deepEqual(
        ['a', 'b', 'sum', 'total'].map((id) => graph.hasDependents(of(id))),
        [true, true, true, false],
      )
      assert.deepEqual(graph.dependentsOf(of('a')), [of('sum')])
      assert.deepEqual(graph.dependentsOf(of('total')), [])
      assert.deepEqual([...graph.sourcesOf(of('sum'))].sort(), [of('a'), of('b')].sort())
      assert.deepEqual([...graph.watched()].sort(), [of('a'), of('b'), of('sum')].sort())
      assert.deepEqual([...graph.derived()].sort(), [of('sum'), of('total')].sort())
    }
    check()
    await opened.restart()
    check()
    const { catalog } = opened
    const graph = new CatalogGraph(catalog)
    const { uid: componentUid } = catalog.index.componentOf(handleOf(catalog, 'c', 'a'))
    const uidOf = (id: string) => catalog.index.streamUid(handleOf(catalog, 'c', id))
    const before = graph.generation
    const key = { componentUid, uid: uidOf('sum') }
    await catalog.streams.update(owner, key, { derivation: over('b', 'b') })
    assert.deepEqual(graph.dependentsOf(handleOf(catalog, 'c', 'a')), [])
    assert.notEqual(graph.generation, before)
    await catalog.streams.delete(owner, componentUid, uidOf('total'))
    assert.equal(graph.hasDependents(handleOf(catalog, 'c', 'sum')), false)
    await catalog.components.delete(owner, componentUid)
    assert.equal(graph.isEmpty, true)
    assert.deepEqual(graph.derived(), [])
  }))

test('the graph follows what another process commits', () =>
  withCatalog(async ({ catalog, store }) => {
    const stream = [
      { id: 'd', derivation: over('a * 2', 'a') },
      { id: 'a', valueType: 'DOUBLE' },
    ] satisfies StreamInput[]
    const other = await openCatalog({ store, people })
    const graph = new CatalogGraph(other)
    const { uid } = await catalog.components.insert(owner, { id: 'c', stream })
    assert.equal(graph.isEmpty, true)
    await other.refresh()
    const [d, a] = [handleOf(other, 'c', 'd'), handleOf(other, 'c', 'a')]
    assert.deepEqual(graph.dependentsOf(a), [d])
    const key = { componentUid: uid, uid: catalog.index.streamUid(d) }
    await catalog.streams.update(owner, key, { streamDerivationType: 'NONE' })
    await other.refresh()
    assert.equal(graph.isEmpty, true)
    await catalog.streams.update(owner, key, { derivation: over('a', 'a') })
    await catalog.components.delete(owner, uid)
    await other.refresh()
    assert.equal(graph.isEmpty, true)
  }))

test('a plan has every source, cycle and type resolved, and is made once', () =>
  withCatalog(async ({ catalog }) => {
    const daily = { streamType: 'intvl_stream', baseCycle: 'day' } as const
    const hourly = { streamType: 'intvl_stream', baseCycle: 'hour' } as const
    const variables = [
      { name: 'use', streamId: 'use', offset: -1 },
      { name: 'day', streamId: 'day' },
      { name: 'top', streamId: 'raw', cycleId: 'month', stat: 'max' },
      { name: 'raw', streamId: 'raw' },
    ]
    const stream = [
      { id: 'use', valueType: 'DOUBLE', rollupMethod: 'SUM', ...hourly },
      { id: 'day', valueType: 'DOUBLE', ...daily },
      { id: 'raw', valueType: 'LONG', rollupMethod: 'last' },
      {
        id: 'cost',
        ...daily,
        derivation: { expression: 'use + day + top + raw', variables, trigger: 'ANY' },
      },
    ] satisfies StreamInput[]
    const { uid } = await catalog.components.insert(owner, { id: 'c', stream })
    const graph = new CatalogGraph(catalog)
    const cost = handleOf(catalog, 'c', 'cost')
    const plan = await graph.planOf(cost)
    assert.ok(!isProblem(plan))
    assert.equal(plan.componentUid, uid)
    assert.deepEqual(
      [plan.valueType, plan.trigger, plan.followsCorrections],
      ['DOUBLE', 'ANY', false],
    )
    assert.equal(plan.result.kind, 'interval')
    const shown = plan.variables.map(({ name, offset, type, rollup, source, window }) => [
      name,
      offset,
      type,
      rollup,
      source.kind,
      source.cycle !== undefined,
      window?.stat,
    ])
    assert.deepEqual(shown, [
      ['use', -1, 'DOUBLE', 'sum', 'interval', true, undefined],
      ['day', 0, 'DOUBLE', undefined, 'interval', true, undefined],
      ['top', 0, 'LONG', undefined, 'random', false, 'max'],
      ['raw', 0, 'LONG', 'last', 'random', false, undefined],
    ])
    // A month of the component's zone.
    const month = plan.variables[2].window?.cycle.periodOf(Date.UTC(2024, 6, 10))
    assert.equal(month?.from, Date.UTC(2024, 5, 30, 22))
    assert.equal(await graph.planOf(cost), plan)
    const moved = await catalog.components.update(owner, uid, { timeZoneId: 'Asia/Tokyo' })
    assert.equal(moved.timeZoneId, 'Asia/Tokyo')
    const later = await graph.planOf(cost)
    assert.ok(!isProblem(later))
    const tokyo = later.variables[2].window?.cycle.periodOf(Date.UTC(2024, 6, 10))
    assert.equal(tokyo?.from, Date.UTC(2024, 5, 30, 15))
  }))

test('a plan follows a cycle that is changed', () =>
  withCatalog(async ({ catalog }) => {
    const shift = await catalog.cycles.insert(owner, { id: 'shift', sizeType: 'HOUR', count: 8 })
    const variables = [{ name: 'a', streamId: 'a', cycleId: 'shift', stat: 'max' }]
    const stream = [
      { id: 'a', valueType: 'DOUBLE' },
      { id: 'd', derivation: { expression: 'a', variables } },
    ] satisfies StreamInput[]
    await catalog.components.insert(owner, { id: 'c', stream })
    const graph = new CatalogGraph(catalog)
    const msOf = async () => {
      const plan = await graph.planOf(handleOf(catalog, 'c', 'd'))
      return isProblem(plan) ? plan.problem : plan.variables[0].window?.cycle.fixedMs
    }
    assert.equal(await msOf(), 8 * 3_600_000)
    await catalog.cycles.update(owner, shift.uid, { count: 12 })
    assert.equal(await msOf(), 12 * 3_600_000)
  }))

test('a source that is gone or has got another type is a problem that names the variable', () =>
  withCatalog(async ({ catalog }) => {
    const stream = [
      { id: 'a', valueType: 'DOUBLE' as const },
      { id: 'open' },
      { id: 'd', derivation: over('a * 2', 'a') },
      { id: 'e', derivation: over('open * 2', 'open') },
      { id: 'f', derivation: over('open', 'open') },
    ] satisfies StreamInput[]
    const { uid } = await catalog.components.insert(owner, { id: 'c', stream })
    const graph = new CatalogGraph(catalog)
    const open = await graph.planOf(handleOf(catalog, 'c', 'f'))
    assert.ok(!isProblem(open))
    assert.equal(open.valueType, '')
    const handle = handleOf(catalog, 'c', 'open')
    await catalog.applyInferredTypes([{ handle, valueType: 'STRING' }])
    const typed = await graph.planOf(handleOf(catalog, 'c', 'f'))
    assert.ok(!isProblem(typed))
    assert.equal(typed.valueType, 'STRING')
    const text = await graph.planOf(handleOf(catalog, 'c', 'e'))
    assert.ok(isProblem(text))
    assert.match(text.problem, /the formula does not fit in line 1, column 1: /)
    const derived = handleOf(catalog, 'c', 'd')
    await catalog.streams.delete(owner, uid, catalog.index.streamUid(handleOf(catalog, 'c', 'a')))
    const gone = await graph.planOf(derived)
    assert.deepEqual(gone, { problem: 'variable "a" reads a deleted stream. Choose another' })
    assert.deepEqual(graph.sourcesOf(derived), [])
    assert.deepEqual(await graph.planOf(handle), {
      problem: 'the stream has no formula. Save it with one',
    })
  }))
