import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findTotpStep, newTotpSecret, totpCode } from './totp.ts'

/** The secret of RFC 6238, appendix B: "12345678901234567890" in base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

test('totpCode() gives the codes of RFC 6238, appendix B', () => {
  const check = (seconds: number, code: string) =>
    assert.equal(totpCode(SECRET, Math.floor(seconds / 30)), code, String(seconds))
  check(59, '287082')
  check(1_111_111_109, '081804')
  check(1_111_111_111, '050471')
  check(1_234_567_890, '005924')
  check(2_000_000_000, '279037')
  check(20_000_000_000, '353130')
})

test('findTotpStep() takes the codes of one step around, each once', () => {
  const secret = newTotpSecret()
  assert.match(secret, /^[A-Z2-7]{32}$/)
  const nowMs = 1_768_435_200_000
  const step = nowMs / 30_000
  const find = (at: number, after = 0) =>
    findTotpStep(secret, totpCode(secret, at), { nowMs, after })
  assert.deepEqual(
    [-2, -1, 0, 1, 2].map((off) => find(step + off)),
    [undefined, step - 1, step, step + 1, undefined],
  )
  assert.equal(find(step, step), undefined)
  assert.equal(findTotpStep(secret, '', { nowMs, after: 0 }), undefined)
  assert.equal(findTotpStep(secret, '1234567', { nowMs, after: 0 }), undefined)
})
