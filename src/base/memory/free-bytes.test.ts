import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freeBytes } from './free-bytes.ts'

test("freeBytes() gives memory back that is all the array's, and leaves any other", () => {
  const own = Buffer.allocUnsafeSlow(1_000_000)
  freeBytes(own)
  assert.equal(own.length, 0)
  freeBytes(own)
  const around = new Float64Array(10)
  freeBytes(around.subarray(0, 5))
  assert.equal(around.length, 10)
  const shared = new Uint8Array(new SharedArrayBuffer(8))
  freeBytes(shared)
  assert.equal(shared.length, 8)
})
