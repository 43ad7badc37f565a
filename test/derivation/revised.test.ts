/** With ANY an append of a source that lags behind makes another of results that are there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StreamInput } from '../../src/catalog/shape/index.ts'
import { derivationHome, owner } from '../support/derivation-home.ts'

const source = (id: string): StreamInput => ({ id, valueType: 'DOUBLE' })

function derived(id: string, expression: string, sources: string, trigger = 'ANY'): StreamInput {
  const variables = sources.split(' ').map((name) => ({ name, streamId: name }))
  const derivation = { expression, variables, trigger: trigger as 'ANY' }
  return { id, streamDerivationType: 'FROM_EXPRESSION', derivation }
}

const SUM = [source('a'), source('b'), derived('d', 'a * 100 + b', 'a b')]

for (const way of ['background', 'put'] as const) {
  test(`a source that lags behind derives again what it is part of, in the ${way}`, async (t) => {
    const home = await derivationHome(t)
    const minute = { streamType: 'intvl_stream', baseCycle: 'second' } as const
    await home.add('c', [
      ...SUM,
      { ...derived('i', 'a * 100 + b', 'a b'), ...minute },
      derived('next', 'd + 1', 'd', 'ALL'),
    ])
    const put = async (...samples: (readonly [string, number, number])[]) => {
      if (way === 'put') return home.putAndDerive('c', ...samples)
      await home.put(...samples)
      await home.derivation.worker.settle()
    }
    await put(['a', 1_000, 1], ['b', 1_000, 1])
    await put(['a', 3_000, 3])
    await put(['b', 2_000, 2])
    await put(['b', 3_000, 3])
    const expected = [
      [1_000, 101],
      [2_000, 102],
      [3_000, 303],
    ]
    assert.deepEqual(await home.read('d'), expected)
    const next = expected.map(([time, value]) => [time, value + 1])
    assert.deepEqual(await home.read('next'), next)
    await put(['a', 4_500, 4], ['b', 4_500, 4])
    assert.deepEqual(await home.read('i'), [
      [2_000, 101],
      [3_000, 102],
      [4_000, 303],
    ])
  })
}

test('two puts at once that derive leave nothing that one of them did not see', async (t) => {
  const home = await derivationHome(t)
  await home.add('c', SUM)
  for (let at = 1; at <= 20; at += 1) {
    await Promise.all([
      home.putAndDerive('c', ['a', at, at]),
      home.putAndDerive('c', ['b', at, at]),
      home.derivation.worker.settle(),
    ])
  }
  const found = await home.read('d')
  assert.deepEqual(
    found,
    found.map((_, at) => [at + 1, 101 * (at + 1)]),
  )
  assert.equal(found.length, 20)
})

test('what is put late, over others or deleted changes nothing, as corrections are not followed', async (t) => {
  const home = await derivationHome(t)
  await home.add('c', SUM)
  await home.put(['a', 10, 1], ['b', 10, 1], ['a', 20, 2], ['b', 30, 3])
  await home.derivation.worker.settle()
  const before = await home.read('d')
  assert.deepEqual(before, [
    [10, 101],
    [20, 201],
    [30, 203],
  ])
  await home.put(['a', 10, 7], ['b', 15, 7])
  await home.remove('b', 25, 1_000)
  await home.derivation.worker.settle()
  assert.deepEqual(await home.read('d'), before)
  await home.restart()
  await home.derivation.start()
  await home.put(['a', 40, 4])
  await home.derivation.worker.settle()
  // The append is derived of what is there.
  assert.deepEqual(await home.read('d'), [...before, [40, 407]])
})

for (const trigger of ['ALL', 'ANY']) {
  test(`another source of a formula derives nothing that it had before, with ${trigger}`, async (t) => {
    const home = await derivationHome(t)
    await home.add('c', [source('a'), source('b'), derived('d', 'a', 'a', trigger)])
    await home.put(['a', 1_000, 1])
    await home.derivation.worker.settle()
    await home.put(['b', 2_000, 2], ['b', 2_500, 3])
    const { index, streams } = home.catalog
    const handle = home.handleOf('c', 'd')
    const { uid } = index.componentOf(handle)
    const ids = { componentUid: uid, uid: index.streamUid(handle) }
    await streams.update(owner, ids, derived('d', 'b', 'b', trigger))
    await home.put(['b', 3_000, 4])
    await home.derivation.worker.settle()
    assert.deepEqual(await home.read('d'), [
      [1_000, 1],
      [3_000, 4],
    ])
  })
}
