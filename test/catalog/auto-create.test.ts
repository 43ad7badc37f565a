import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WantedComponent } from '../../src/catalog/create/index.ts'
import { INTERVAL, RANDOM, readGrid, VALUE_CODE } from '../../src/catalog/shape/index.ts'
import { CatalogConflict } from '../../src/store/index.ts'
import { type OpenedCatalog, ownerOf, withCatalog } from '../support/catalog.ts'

const ORG = 'org-1'
const owner = ownerOf(ORG)

function want(compId: string, streamIds: readonly string[], more: object = {}): WantedComponent {
  const streams = streamIds.map((streamId) => ({ streamId, valueType: 'DOUBLE' as const }))
  return { compId, rules: {}, streams, ...more }
}

async function insertTemplate({ catalog }: OpenedCatalog) {
  return await catalog.templates.insert(owner, {
    id: 'tmpl',
    description: 'made from a template',
    stream: [
      { id: 'hourly', streamType: 'intvl_stream', valueType: 'DOUBLE', baseCycle: { id: 'hour' } },
      { id: 'text', valueType: 'STRING' },
    ],
  })
}

test('autoCreate() makes components and streams that a restart finds again', () =>
  withCatalog(async (opened) => {
    const [made] = await opened.catalog.autoCreate(ORG, [want('boiler', ['t', 'p'])])
    assert.ok(made.isNew)
    assert.deepEqual(made.isNewStream, [true, true])
    await opened.restart()
    const { index } = opened.catalog
    const entry = index.resolveComponent(ORG, 'boiler')
    assert.deepEqual(entry?.streams, made.handles)
    assert.equal(entry?.timeZone, 'Europe/Berlin')
    assert.equal(index.resolve(ORG, 'boiler', 'p'), made.handles[1])
    const record = await opened.catalog.components.get(owner, made.component.uid)
    assert.equal(record.name, 'boiler')
    assert.equal(record.folder, '/Components')
    assert.equal(record.creationDate, 1_700_000_000_000)
    assert.deepEqual(
      record.stream?.map(({ id, name, streamType, valueType }) => [
        id,
        name,
        streamType,
        valueType,
      ]),
      [
        ['t', 't', 'rdm_stream', 'DOUBLE'],
        ['p', 'p', 'rdm_stream', 'DOUBLE'],
      ],
    )
  }))

test('autoCreate() leaves a series that has a stream to its caller, who finds that', () =>
  withCatalog(async ({ catalog, store }) => {
    const labels = { __name__: 'up', job: 'j' }
    const wanted = (streamId: string): WantedComponent => {
      const streams = [
        { streamId, valueType: 'DOUBLE' as const, series: { series: labels, labels } },
      ]
      return { ...want('c', []), streams }
    }
    const [{ handles }] = await catalog.autoCreate(ORG, [wanted('up')])
    const cursor = await store.lastCursor()
    for (const streamId of ['up', 'other']) {
      await assert.rejects(catalog.autoCreate(ORG, [wanted(streamId)]), (error) => {
        return error instanceof CatalogConflict && error.claim?.startsWith('series:') === true
      })
    }
    assert.equal(await store.lastCursor(), cursor)
    const [found] = await catalog.findSeries(ORG, [labels])
    assert.equal(found?.handle, handles[0])
  }))

test('autoCreate() uses what exists and adds only what is missing, at the end', () =>
  withCatalog(async ({ catalog }) => {
    const [first] = await catalog.autoCreate(ORG, [want('c', ['a'])])
    const rules = { compTmplId: 'unknown', folder: '/Nowhere', dtId: 'unknown', dsId: 'x' }
    const [same] = await catalog.autoCreate(ORG, [want('c', ['a'], { rules })])
    assert.deepEqual(same.handles, first.handles)
    assert.deepEqual([same.isNew, same.isNewStream], [false, [false]])
    const [more] = await catalog.autoCreate(ORG, [want('c', ['b', 'a'])])
    assert.deepEqual(more.isNewStream, [true, false])
    assert.deepEqual(catalog.index.resolveComponent(ORG, 'c')?.streams, [
      first.handles[0],
      more.handles[0],
    ])
    const byUid = {
      compUid: first.component.uid,
      rules: {},
      streams: [{ streamId: 'a', valueType: '' as const }],
    }
    const [again] = await catalog.autoCreate(ORG, [byUid])
    assert.deepEqual(again.handles, first.handles)
  }))

test('autoCreate() makes nothing when the check refuses', () =>
  withCatalog(async ({ catalog }) => {
    const plan = [want('x', ['s'], { rules: { folder: '/Components/new' } }), want('y', ['s'])]
    const refusal = catalog.autoCreate(ORG, plan, (prepared) => {
      assert.deepEqual(
        prepared.map(({ component, streams }) => [
          component,
          streams[0].handle,
          streams[0].valueCode,
        ]),
        [
          [undefined, 0, 1],
          [undefined, 0, 1],
        ],
      )
      throw new Error('no')
    })
    await assert.rejects(refusal, /no/)
    assert.equal(catalog.index.componentCount, 0)
    assert.equal((await catalog.folders.list(owner, { start: 0, limit: 9 })).totalCount, 0)
  }))

test('autoCreate() from a template takes its streams and freezes their intervals', () =>
  withCatalog(async (opened) => {
    const { catalog } = opened
    await insertTemplate(opened)
    const rules = { compTmplId: 'tmpl', compName: 'Named', folder: '/Components/a/b' }
    const [made] = await catalog.autoCreate(ORG, [want('c', ['text', 'extra'], { rules })])
    const record = await catalog.components.get(owner, made.component.uid)
    assert.deepEqual(
      [record.name, record.description, record.folder],
      ['Named', 'made from a template', '/Components/a/b'],
    )
    assert.deepEqual(
      record.stream?.map(({ id, valueType }) => `${id} ${valueType}`),
      ['hourly DOUBLE', 'text STRING', 'extra DOUBLE'],
    )
    const [hourly] = made.component.streams
    assert.equal(catalog.index.kindOf(hourly), INTERVAL)
    assert.deepEqual(readGrid(catalog.index.gridOf(hourly)), {
      sizeType: 'HOUR',
      count: 1,
      timeZone: 'Europe/Berlin',
      referenceDate: '2024-01-01T00:00:00',
    })
    assert.equal((await catalog.folders.list(owner, { start: 0, limit: 9 })).totalCount, 2)
  }))

test('autoCreate() defines new streams by dtId and dsId, each with its own ID', () =>
  withCatalog(async (opened) => {
    const { catalog } = opened
    await insertTemplate(opened)
    const rules = { dtId: 'tmpl', dsId: 'hourly' }
    const [made] = await catalog.autoCreate(ORG, [want('c', ['x', 'y'], { rules })])
    const record = await catalog.components.get(owner, made.component.uid)
    assert.deepEqual(
      record.stream?.map(({ id, name, baseCycle }) => [id, name, baseCycle?.id]),
      [
        ['x', 'x', 'hour'],
        ['y', 'y', 'hour'],
      ],
    )
  }))

test('autoCreate() refuses what cannot be made, and makes nothing of it', () =>
  withCatalog(async (opened) => {
    const { catalog } = opened
    await insertTemplate(opened)
    const check = async (wanted: WantedComponent, message: RegExp) => {
      await assert.rejects(catalog.autoCreate(ORG, [want('good', ['s']), wanted]), message)
      assert.equal(catalog.index.componentCount, 0)
    }
    await check(want('', ['s']), /compId must not be blank/)
    await check(want('x'.repeat(513), ['s']), /compId has 513 characters: at most 512/)
    await check(want('c', ['']), /streamId must not be blank/)
    await check(want('c', ['s', ''], { rules: { compTmplId: 'tmpl' } }), /streamId must not/)
    await check(want('c', ['s'.repeat(513)]), /streamId has 513 characters/)
    await check(want('c', ['\ud800']), /streamId contains an unpaired/)
    await check(want('c', ['s'], { rules: { compTmplId: 'no' } }), /template "no" \(compTmplId\)/)
    await check(want('c', ['s'], { rules: { folder: '/Else' } }), /must start with \/Components/)
    await check(want('c', ['s'], { rules: { dtId: 'no', dsId: 'x' } }), /template "no" \(dtId\)/)
    await check(want('c', ['s'], { rules: { dtId: 'tmpl', dsId: 'no' } }), /"no" \(dsId\)/)
    await check({ compUid: 'no', rules: {}, streams: [] }, /Cannot find component "no"/)
  }))

test('autoCreate() finds streams by position and names new ones by it', () =>
  withCatalog(async ({ catalog }) => {
    const byPosition = (count: number) =>
      Array.from({ length: count }, (_, position) => ({ position, valueType: 'DOUBLE' as const }))
    const [first] = await catalog.autoCreate(ORG, [want('c', ['a', 'stream3'])])
    const streams = byPosition(4)
    const [made] = await catalog.autoCreate(ORG, [{ compId: 'c', rules: {}, streams }])
    assert.deepEqual(made.handles.slice(0, 2), first.handles)
    assert.deepEqual(
      made.handles.map((handle) => catalog.index.streamIdOf(handle)),
      ['a', 'stream3', 'stream4', 'stream5'],
    )
  }))

test('autoCreate() called at once for the same makes it once', () =>
  withCatalog(async ({ catalog }) => {
    const calls = Array.from({ length: 40 }, (_, index) =>
      catalog.autoCreate(ORG, [
        want('shared', ['s', `own${index % 5}`], { rules: { folder: '/Components/f' } }),
        want(`single${index}`, ['s'], { rules: { folder: '/Components/f' } }),
      ]),
    )
    const results = await Promise.all(calls)
    const handles = new Set(results.map(([shared]) => shared.handles[0]))
    assert.equal(handles.size, 1)
    assert.equal(results.filter(([shared]) => shared.isNew).length, 1)
    assert.equal(catalog.index.resolveComponent(ORG, 'shared')?.streamCount, 6)
    assert.equal(catalog.index.componentCount, 41)
  }))

test('applyInferredTypes() types an untyped stream once and for all', () =>
  withCatalog(async (opened) => {
    const untyped = { compId: 'c', rules: {}, streams: [{ streamId: 's', valueType: '' as const }] }
    const [{ handles }] = await opened.catalog.autoCreate(ORG, [untyped])
    const [handle] = handles
    assert.equal(opened.catalog.index.valueCodeOf(handle), 0)
    await Promise.all([
      opened.catalog.applyInferredTypes([{ handle, valueType: 'STRING' }]),
      opened.catalog.applyInferredTypes([{ handle, valueType: 'DOUBLE' }]),
    ])
    assert.equal(opened.catalog.index.valueCodeOf(handle), 7)
    await opened.restart()
    assert.equal(opened.catalog.index.valueCodeOf(handle), 7)
    assert.equal((await opened.catalog.describeStream(handle))?.valueType, 'STRING')
  }))

test('planCreate() returns what autoCreate() would create, and creates nothing', () =>
  withCatalog(async (opened) => {
    await insertTemplate(opened)
    const { catalog } = opened
    const rules = { compTmplId: 'tmpl' }
    const planned = await catalog.planCreate(ORG, want('c', ['hourly', 'own'], { rules }))
    assert.equal(planned.component, undefined)
    assert.deepEqual(
      planned.streams.map(({ handle, streamId, kind }) => [handle, streamId, kind]),
      [
        [0, 'hourly', INTERVAL],
        [0, 'own', RANDOM],
      ],
    )
    assert.equal(catalog.index.resolveComponent(ORG, 'c'), undefined)
    await assert.rejects(
      catalog.planCreate(ORG, want('c', ['s'], { rules: { compTmplId: 'no' } })),
      {
        code: 'template_not_found',
      },
    )
  }))

test('handlesOfValueCode() finds the living streams of a type', () =>
  withCatalog(async ({ catalog }) => {
    const streams = [
      { streamId: 'd', valueType: 'DOUBLE' },
      { streamId: 'f', valueType: 'FILE' },
      { streamId: 'g', valueType: 'FILE' },
    ] as const
    const [made] = await catalog.autoCreate(ORG, [{ compId: 'c', rules: {}, streams }])
    const { index } = catalog
    assert.deepEqual([...index.handlesOfValueCode(VALUE_CODE.FILE)], made.handles.slice(1))
    await catalog.streams.delete(owner, made.component.uid, index.streamUid(made.handles[1]))
    assert.deepEqual([...index.handlesOfValueCode(VALUE_CODE.FILE)], made.handles.slice(2))
    assert.equal(index.valueCodeOf(made.handles[1]), VALUE_CODE.FILE, 'known after its deletion')
  }))

test('autoCreate() lets calls from before and after the creation of a component take turns', () =>
  withCatalog(async ({ catalog }) => {
    const early = Array.from({ length: 60 }, (_, at) => `early${at}`)
    const late = Array.from({ length: 60 }, (_, at) => `late${at}`)
    const bring = (id: string) => catalog.autoCreate(ORG, [want('storm', [id])])
    const [first, ...waiting] = early.map(bring)
    await first
    await Promise.all([...waiting, ...late.map(bring)])
    const entry = catalog.index.resolveComponent(ORG, 'storm')
    assert.equal(entry?.streams.length, 120)
  }))
