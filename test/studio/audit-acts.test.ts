import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AUDIT_ACTS } from '../../src/auth/index.ts'
import { ACT_GROUPS } from '../../studio/src/pages/admin/audit-acts.ts'

test('every act of the audit log is in one group of the studio', () => {
  assert.deepEqual(ACT_GROUPS.flatMap(({ acts }) => acts).toSorted(), [...AUDIT_ACTS])
})
