import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyRecord } from '../../src/store/embedded/head/apply-record.ts'
import { HeadGeneration } from '../../src/store/embedded/head/head-generation.ts'
import { SampleSink } from '../../src/store/embedded/head/sample-sink.ts'
import { batch } from '../contract/sample-store-contract.ts'

const FAR = Date.UTC(2036, 0, 1)

test('a floor in a journal of an earlier version hides nothing', () => {
  const generation = new HeadGeneration(1)
  applyRecord(generation, { kind: 'samples', batch: batch([[1, 10, 1]]) })
  applyRecord(generation, { kind: 'floor', batch: batch([[1, FAR, 0]]) })
  applyRecord(generation, { kind: 'samples', batch: batch([[1, 5, 2]]) })
  const sink = new SampleSink()
  generation.readAll(1, sink)
  assert.deepEqual([...sink.columns().times], [5, 10])
  assert.equal(generation.tombstones.has(1), false)
})
