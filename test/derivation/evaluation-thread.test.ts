/** Formulas over long texts are evaluated in a thread, with limits that it names. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { epochMs, Refusal, TIME_END } from '../../src/base/index.ts'
import { type DerivationPlan, isProblem } from '../../src/derivation/derivation-plan.ts'
import { deriveSpan } from '../../src/derivation/evaluate/derive-span.ts'
import { EvaluationThread } from '../../src/derivation/evaluate/evaluation-thread.ts'
import { ownerOf } from '../support/catalog.ts'
import { type DerivationHome, derivationHome, owner } from '../support/derivation-home.ts'

/** JSON takes the most time for its characters: some hundred milliseconds for each row. */
const SLOW = Array.from({ length: 45 }, () => "jsonLength(v, '$')").join(' + ')
const LIST = `[${'1,'.repeat(50_000)}1]`

/** A formula over the samples of a stream of texts, which only the test derives. */
async function planOf(home: DerivationHome, expression: string): Promise<DerivationPlan> {
  await home.catalogStore.acquireLease('derivation', 'another', 60_000)
  await home.add('c', [
    { id: 't', valueType: 'STRING' },
    {
      id: 'd',
      streamDerivationType: 'FROM_EXPRESSION',
      derivation: { expression, variables: [{ name: 'v', streamId: 't' }] },
    },
  ])
  const plan = await home.derivation.graph.planOf(home.handleOf('c', 'd'))
  assert.ok(!isProblem(plan))
  return plan
}

function threadOf(
  t: TestContext,
  settings: Omit<ConstructorParameters<typeof EvaluationThread>[0], 'name'> = {},
) {
  const thread = new EvaluationThread({ name: 'test', ...settings })
  t.after(() => thread.close())
  let asked = 0
  return {
    get asked() {
      return asked
    },
    evaluate: (...args: Parameters<EvaluationThread['evaluate']>) => {
      asked += 1
      return thread.evaluate(...args)
    },
  }
}

type Thread = ReturnType<typeof threadOf>

/** All results of a plan: time and value, and the failures by their time. */
async function derive(home: DerivationHome, plan: DerivationPlan, thread?: Thread) {
  const results: (readonly [number, number | string])[] = []
  const failures: (readonly [number, string])[] = []
  let [from, failed] = [epochMs(0), 0]
  while (from < TIME_END) {
    const span = { from, until: TIME_END }
    const block = await deriveSpan({ store: home.samples, thread }, plan, span)
    const { times, numbers, texts, count } = block.samples
    for (let at = 0; at < count; at++) results.push([times[at], texts?.[at] ?? numbers[at]])
    const { last } = block.failures
    failed += block.failures.count
    if (last !== undefined) failures.push([last.time, last.message])
    from = block.until
  }
  return { results, failed, lastFailure: failures.at(-1) }
}

test('rows that work on many characters are evaluated in the thread, with the same results', async (t) => {
  const home = await derivationHome(t)
  const formula = "if(len(v) = 7, CAST(v AS LONG) || '', replaceAll(v, 'x', 'yy') || len(v))"
  const plan = await planOf(home, formula)
  const texts = ['short', 'x'.repeat(100_000), 'ends', 'x'.repeat(700_000), '1234567', 'seven!!']
  for (const [at, text] of texts.entries()) await home.put(['t', at + 1, text])
  const thread = threadOf(t)
  const derived = await derive(home, plan, thread)
  assert.ok(thread.asked > 0)
  assert.equal(derived.results.length, 4)
  // The longest result would have more characters than a sample may.
  assert.match(derived.lastFailure?.[1] ?? '', /more than 1000000 characters/)
  assert.deepEqual(derived, await derive(home, plan))
})

test('rows that work on few characters are evaluated without the thread', async (t) => {
  const home = await derivationHome(t)
  const plan = await planOf(home, "v || '!'")
  await home.put(['t', 1, 'on'], ['t', 2, 'off'])
  const thread = threadOf(t)
  assert.deepEqual((await derive(home, plan, thread)).results, [
    [1, 'on!'],
    [2, 'off!'],
  ])
  assert.equal(thread.asked, 0)
})

test('a formula whose constants alone take much work does not run on the main loop', async (t) => {
  const home = await derivationHome(t)
  const grown = Array.from({ length: 19 }).reduce<string>(
    (text) => `replaceAll(${text}, '1', '11')`,
    "'1'",
  )
  const plan = await planOf(home, `if(v = 'on', len(${grown}), 0)`)
  await home.put(['t', 1, 'on'], ['t', 2, 'off'])
  const thread = threadOf(t)
  const { results, lastFailure } = await derive(home, plan, thread)
  assert.deepEqual(results, [[2, 0]])
  assert.match(lastFailure?.[1] ?? '', /Too much text to process: at most 5000000/)
  assert.ok(thread.asked > 0)
})

test('a row that takes too much CPU time fails and names the limit, and the next ones are derived', async (t) => {
  const home = await derivationHome(t)
  const plan = await planOf(home, `if(v = 'on', 1, ${SLOW})`)
  await home.put(['t', 1, LIST], ['t', 2, 'on'], ['t', 3, 'on'])
  const derived = await derive(home, plan, threadOf(t, { cpuMsMax: 5 }))
  assert.deepEqual(derived.results, [
    [2, 1],
    [3, 1],
  ])
  assert.equal(derived.failed, 1)
  assert.match(derived.lastFailure?.[1] ?? '', /too much time .*at most 0\.005 s of CPU time/)
  const refusing = threadOf(t, { cpuMsMax: 5, refusesExhausted: true })
  await assert.rejects(derive(home, plan, refusing), (error) => {
    assert.ok(error instanceof Refusal)
    assert.equal(error.status, 400)
    assert.match(error.message, /at most 0\.005 s of CPU time/)
    return true
  })
})

test('a row that reads too many characters fails and names the limit', async (t) => {
  const home = await derivationHome(t)
  await home.catalogStore.acquireLease('derivation', 'another', 60_000)
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  await home.add('c', [
    ...names.map((id) => ({ id, valueType: 'STRING' as const })),
    {
      id: 'all',
      streamDerivationType: 'FROM_EXPRESSION',
      derivation: {
        expression: `if(len(a) > 0, 1, len(${names.join(' + ')}))`,
        variables: names.map((name) => ({ name, streamId: name })),
      },
    },
  ])
  const plan = await home.derivation.graph.planOf(home.handleOf('c', 'all'))
  assert.ok(!isProblem(plan))
  for (const name of names) await home.put([name, 1, 'x'.repeat(900_000)])
  for (const name of names) await home.put([name, 2, 'x'])
  const derived = await derive(home, plan, threadOf(t))
  assert.deepEqual(derived.results, [[2, 1]])
  assert.match(derived.lastFailure?.[1] ?? '', /too long: at most 5000000 characters/)
})

test('an organization runs one preview at a time, and few may wait; others are served', async (t) => {
  const home = await derivationHome(t)
  await planOf(home, 'v')
  await home.put(['t', 1, `[${'1,'.repeat(10_000)}1]`], ['t', 2, 'on'])
  const { views } = home.derivation
  const uid = home.catalog.index.resolveComponent(owner.orgUid, 'c')?.uid ?? ''
  const derivation = { expression: SLOW, variables: [{ name: 'v', streamId: 't' }] }
  const preview = () => views.preview(owner, uid, { derivation })
  const others = ownerOf('org-2')
  const made = await home.catalog.components.insert(others, { id: 'c', stream: [{ id: 't' }] })
  const running = [preview(), preview(), preview(), preview(), preview()]
  const other = views.preview(others, made.uid, { derivation })
  const ended = await Promise.allSettled(running)
  assert.deepEqual((await other).rows, [])
  assert.deepEqual(
    ended.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
  )
  for (const one of ended) {
    if (one.status === 'fulfilled') {
      assert.equal(one.value.rows[1].value, 45 * 10_001)
      continue
    }
    assert.ok(one.reason instanceof Refusal)
    assert.equal(one.reason.code, 'preview_unavailable')
    assert.ok((one.reason.retryAfterSeconds ?? 0) > 0)
  }
  // A caller that has waited leaves room for the next.
  assert.equal((await preview()).rows.length, 2)
})

test('a preview whose rows take its CPU time together ends, and says so', async (t) => {
  const home = await derivationHome(t)
  await planOf(home, 'v')
  for (let at = 1; at <= 50; at++) await home.put(['t', at, LIST])
  const uid = home.catalog.index.resolveComponent(owner.orgUid, 'c')?.uid ?? ''
  const derivation = { expression: SLOW, variables: [{ name: 'v', streamId: 't' }] }
  const { isCut, rows } = await home.derivation.views.preview(owner, uid, { derivation })
  assert.deepEqual([isCut, rows.length > 0, rows.length < 50], [true, true, true])
})
