import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rollupStatistic } from './rollup.ts'

test('rollupStatistic() follows the stream, else what its values allow', () => {
  assert.equal(rollupStatistic({ rollupMethod: 'SUM', valueType: 'DOUBLE' }), 'sum')
  assert.equal(rollupStatistic({ rollupMethod: 'last', valueType: 'DOUBLE' }), 'last')
  assert.equal(rollupStatistic({ rollupMethod: '', valueType: 'DOUBLE' }), 'avg')
  assert.equal(rollupStatistic({ valueType: 'BOOLEAN' }), 'avg')
  assert.equal(rollupStatistic({ valueType: 'STRING' }), 'last')
  assert.equal(rollupStatistic({}), 'avg')
})
