import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pacer } from '../../src/base/index.ts'
import type { Catalog } from '../../src/catalog/index.ts'
import { LabelTable } from '../../src/catalog/labels/label-table.ts'
import { type LabelMatcher, selectSeries } from '../../src/catalog/labels/select-series.ts'
import { type OpenedCatalog, ownerOf, withCatalog } from '../support/catalog.ts'
import { Random } from '../support/random.ts'

const owner = ownerOf('org')

/** A matcher by a condition on the text. */
function where(name: string, accepts: (text: string) => boolean): LabelMatcher {
  return {
    name,
    acceptsAbsent: accepts(''),
    accept: (texts) => Uint8Array.from(texts, (text) => (accepts(text) ? 1 : 0)),
  }
}

function is(name: string, text: string): LabelMatcher {
  return { ...where(name, () => false), texts: [text], acceptsAbsent: text === '' }
}

async function select(table: LabelTable, matchers: readonly LabelMatcher[]): Promise<number[]> {
  const handles: number[] = []
  await selectSeries(table, matchers, new Pacer(), (series) => handles.push(table.handleOf(series)))
  return handles.sort((a, b) => a - b)
}

/** The labels of all living series of the organization, one line each, sorted. */
async function shown({ labels, index }: Catalog, orgUid = 'org'): Promise<string[]> {
  const { table } = await labels.seriesOf(orgUid)
  const lines: string[] = []
  await selectSeries(table, [], new Pacer(), (series) => {
    if (index.has(table.handleOf(series))) lines.push(table.labelsOf(series).join(' '))
  })
  return lines.sort()
}

async function putStreams({ catalog }: OpenedCatalog, compId: string) {
  return await catalog.components.insert(owner, {
    id: compId,
    stream: [
      { id: 'temp', valueType: 'DOUBLE', labels: { site: 'north' } },
      { id: 'up', valueType: 'BOOLEAN', labels: { __name__: 'up', job: 'node' } },
      { id: 'text', valueType: 'STRING', labels: { site: 'north' } },
      { id: 'load', valueType: 'LONG' },
    ],
  })
}

test('LabelIndex.seriesOf() names streams of numbers by their labels, component, and ID', () =>
  withCatalog(async (opened) => {
    await putStreams(opened, 'a')
    await opened.catalog.components.insert(ownerOf('other'), { stream: [{ valueType: 'DOUBLE' }] })
    assert.deepEqual(await shown(opened.catalog), [
      '__name__ load component a',
      '__name__ temp component a site north',
      '__name__ up job node',
    ])
    assert.equal((await shown(opened.catalog, 'other')).length, 1)
    assert.deepEqual(await shown(opened.catalog, 'nobody'), [])
  }))

test('LabelIndex.seriesOf() follows edits, renames, new streams, types, and deletions', () =>
  withCatalog(async (opened) => {
    const { catalog } = opened
    const made = await putStreams(opened, 'a')
    assert.equal((await shown(catalog)).length, 3)
    const [temp, up] = made.stream ?? []
    const { uid: componentUid } = made
    const of = (uid: string) => ({ componentUid, uid })
    await catalog.streams.update(owner, of(temp.uid), { labels: { site: 'south' } })
    await catalog.streams.update(owner, of(up.uid), { lookbackMs: 90_000 })
    await catalog.components.update(owner, made.uid, { id: 'b' })
    assert.deepEqual(await shown(catalog), [
      '__name__ load component b',
      '__name__ temp component b site south',
      '__name__ up job node',
    ])
    const { lookbacks } = await catalog.labels.seriesOf('org')
    const upHandle = catalog.index.streamByUid('org', up.uid)
    assert.deepEqual([...lookbacks], [[upHandle, 90_000]])
    await catalog.streams.delete(owner, made.uid, temp.uid)
    const [{ handles }] = await catalog.autoCreate('org', [
      { compId: 'b', rules: {}, streams: [{ streamId: 'late', valueType: '' }] },
    ])
    assert.equal((await shown(catalog)).length, 2)
    await catalog.applyInferredTypes([{ handle: handles[0], valueType: 'DOUBLE' }])
    assert.equal((await shown(catalog))[0], '__name__ late component b')
    await catalog.components.delete(owner, made.uid)
    assert.deepEqual(await shown(catalog), [])
  }))

test('LabelIndex.seriesOf() is the same after a restart', () =>
  withCatalog(async (opened) => {
    for (const id of ['a', 'b', 'c']) await putStreams(opened, id)
    const before = await shown(opened.catalog)
    assert.equal(before.length, 9)
    await opened.restart()
    assert.deepEqual(await shown(opened.catalog), before)
  }))

test('selectSeries() finds what a search through all series finds', async () => {
  const random = new Random(Math.floor(Math.random() * 1e9))
  const table = new LabelTable()
  const model = new Map<number, Record<string, string>>()
  const draw = () =>
    Object.fromEntries(
      ['__name__', 'job', 'host', 'cpu']
        .filter(() => random.next() < 0.8)
        .map((name) => [name, `${name}-${random.integer(0, 8)}`]),
    )
  for (let round = 0; round < 12; round++) {
    for (let put = 0; put < 700; put++) {
      const handle = random.integer(1, 4_000)
      const labels = draw()
      table.put(handle, labels)
      model.set(handle, labels)
    }
    for (let removed = 0; removed < 50; removed++) {
      const handle = random.integer(1, 4_000)
      table.remove(handle)
      model.delete(handle)
    }
    if (random.next() < 0.5) await table.settle(new Pacer())
    for (let asked = 0; asked < 8; asked++) {
      const conditions = ['__name__', 'job', 'host', 'none'].map((name) => {
        const text = random.pick(['', `${name}-1`, `${name}-3`])
        const isNegated = random.next() < 0.4
        const accepts = (one: string) => (one === text) !== isNegated
        return { name, accepts, matcher: isNegated ? where(name, accepts) : is(name, text) }
      })
      const chosen = conditions.filter(() => random.next() < 0.5)
      const expected = [...model]
        .filter(([, labels]) => chosen.every(({ name, accepts }) => accepts(labels[name] ?? '')))
        .map(([handle]) => handle)
        .sort((a, b) => a - b)
      const found = await select(
        table,
        chosen.map(({ matcher }) => matcher),
      )
      assert.deepEqual(found, expected, `seed ${random.seed}`)
    }
  }
})
