/** Long texts: blocks of them are short, so that limits between two blocks count, and none is read many times. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { epochMs, TIME_END } from '../../src/base/index.ts'
import { isProblem } from '../../src/derivation/derivation-plan.ts'
import { deriveAppended } from '../../src/derivation/derive-stream.ts'
import { deriveSpan } from '../../src/derivation/evaluate/derive-span.ts'
import { type DerivationHome, derivationHome } from '../support/derivation-home.ts'

/** A stream of long texts and one derived from it, which nobody derives but the test. */
async function textsHome(home: DerivationHome, count: number, length: number) {
  await home.catalogStore.acquireLease('derivation', 'another', 60_000)
  await home.add('c', [
    { id: 't', valueType: 'STRING' },
    {
      id: 'd',
      streamDerivationType: 'FROM_EXPRESSION',
      derivation: { expression: 'v', variables: [{ name: 'v', streamId: 't' }] },
    },
  ])
  const text = 'x'.repeat(length)
  for (let at = 1; at <= count; at++) await home.put(['t', at, text])
  const plan = await home.derivation.graph.planOf(home.handleOf('c', 'd'))
  assert.ok(!isProblem(plan))
  return plan
}

test('texts that are long together are derived in short blocks, each read about once', async (t) => {
  const home = await derivationHome(t)
  const [count, length] = [60, 1_000_000]
  const plan = await textsHome(home, count, length)
  let read = 0
  const range = home.samples.range.bind(home.samples)
  home.samples.range = async (...args) => {
    const columns = await range(...args)
    for (const text of columns.texts ?? []) read += text?.length ?? 0
    return columns
  }
  const { derivation, feed, samples: store } = home
  let blocks = 0
  const onBlock = () => {
    blocks += 1
    return true
  }
  const deps = { feed, store, status: derivation.status }
  const { samples, isThrough } = await deriveAppended(deps, plan, 0, { onBlock })
  assert.deepEqual([samples, isThrough], [count, true])
  assert.ok(blocks >= 4, `${blocks} blocks`)
  assert.ok(read <= 1.5 * count * length, `${read} characters read`)
})

test('deriveSpan() ends a block of long results where they are enough', async (t) => {
  const home = await derivationHome(t)
  const plan = await textsHome(home, 24, 150_000)
  const { checkExpression } = await import('../../src/expression/index.ts')
  const { variables } = plan
  const text = 'v + v + v + v + v'
  const expression = checkExpression(text, { variables })
  const long = { ...plan, expression }
  const found: number[] = []
  let from = epochMs(0)
  while (from < TIME_END) {
    const block = await deriveSpan({ store: home.samples }, long, { from, until: TIME_END })
    assert.ok(block.samples.count <= 22, `${block.samples.count} results in a block`)
    found.push(...block.samples.times)
    from = block.until
  }
  assert.deepEqual(
    found,
    Array.from({ length: 24 }, (_, at) => at + 1),
  )
})
