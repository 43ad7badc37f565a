import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StreamIndex } from '../../catalog/index.ts'
import { IncomingSamples, OpenTargets } from './incoming-samples.ts'
import { resolveTargets } from './resolve-targets.ts'

const ORG = '00000000-0000-4000-8000-000000000001'

async function missingOf(samples: IncomingSamples) {
  const put = { samples, creation: {}, createMax: 100 }
  const missing = await resolveTargets(new StreamIndex(), ORG, put)
  return missing.map(({ compId, streamId, samples: indexes }) => [compId, streamId, [...indexes]])
}

test('a stream that is named again by the same list is one target', async () => {
  const samples = new IncomingSamples(3)
  const targets = new OpenTargets(samples)
  targets.addById('a', 'x', 0)
  targets.addById('b', 'x', 1)
  targets.addById('a', 'x', 2)
  assert.equal(samples.namedOnce, 2)
  assert.deepEqual(await missingOf(samples), [
    ['a', 'x', [0, 2]],
    ['b', 'x', [1]],
  ])
})

test('a stream that two lists name is one target', async () => {
  const samples = new IncomingSamples(3)
  const [first, second] = [new OpenTargets(samples), new OpenTargets(samples)]
  first.addById('a', 'x', 0)
  second.addById('a', 'x', 1)
  first.addById('b', 'x', 2)
  assert.deepEqual(await missingOf(samples), [
    ['a', 'x', [0, 1]],
    ['b', 'x', [2]],
  ])
})

test('a stream that is named beside a list is one target', async () => {
  const samples = new IncomingSamples(2)
  new OpenTargets(samples).addById('a', 'x', 0)
  samples.open.push({ compId: 'a', streamId: 'x', samples: [1] })
  assert.deepEqual(await missingOf(samples), [['a', 'x', [0, 1]]])
})
