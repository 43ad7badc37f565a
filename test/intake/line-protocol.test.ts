import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  emptySeriesCache,
  pointsOfReader,
  pointsOfReference,
  type ReferenceLine,
} from '../support/line-protocol.ts'

interface Recorded {
  readonly body: string
  readonly lines: readonly ReferenceLine[]
}

test('LineReader reads the recorded bodies as the reference decoder did', () => {
  const recorded = readFileSync('test/fixtures/line-protocol.txt', 'utf8').trimEnd().split('\n')
  const shared = emptySeriesCache()
  for (const one of recorded) {
    const { body, lines }: Recorded = JSON.parse(one)
    const bytes = Buffer.from(body, 'base64')
    const context = JSON.stringify(bytes.toString('latin1'))
    const expected = pointsOfReference(lines)
    assert.deepEqual(pointsOfReader(bytes), expected, context)
    for (let times = 0; times < 2; times++) {
      assert.deepEqual(pointsOfReader(bytes, shared), expected, context)
    }
  }
})
