import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startingPoints } from '../../studio/src/pages/connect/starting-points.ts'
import { storesNothing } from '../../studio/src/pages/connect/stores-nothing.ts'

test('storesNothing() finds connectors that only select', () => {
  for (const { sql, label } of startingPoints) assert.equal(storesNothing([sql]), false, label)
  assert.equal(storesNothing(['SELECT 1']), true)
  assert.equal(
    storesNothing(['SET @a = \'insert\'; -- INSERT\nSELECT "insert" /* INSERT */']),
    true,
  )
  assert.equal(storesNothing(['SET @a = 1', 'insert or replace INTO SAMPLE(CID) SELECT 1']), false)
  assert.equal(
    storesNothing(["SELECT 'it''s'; INSERT OR REPLACE INTO SAMPLE(CID) SELECT 1"]),
    false,
  )
  assert.equal(storesNothing(['SELECT insertion FROM t']), true)
  assert.equal(storesNothing(['', '  ']), false, 'what is not written yet is no mistake')
})
