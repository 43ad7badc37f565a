import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { MemoryBudget } from '../../base/index.ts'
import { packAnswer } from './pack-answer.ts'

const MB = 1024 * 1024
const body = Buffer.from(JSON.stringify(Array.from({ length: 20_000 }, (_, at) => at / 7)))

test('packAnswer() packs long answers for who takes gzip, and gives its memory back', async () => {
  const budget = new MemoryBudget(80 * MB)
  const packed = await packAnswer(body, { acceptEncoding: 'gzip, deflate, br', budget })
  assert.ok(packed !== undefined && packed.length < body.length / 2, `${packed?.length} bytes`)
  assert.deepEqual(gunzipSync(packed), body)
  assert.equal(budget.figures.usedBytes, 0)
})

test('packAnswer() leaves short answers, callers who take no gzip, and a full budget alone', async () => {
  const budget = new MemoryBudget(80 * MB)
  const check = async (acceptEncoding: string | undefined, bytes = body) =>
    assert.equal(await packAnswer(bytes, { acceptEncoding, budget }), undefined)
  await check(undefined)
  await check('br')
  await check('gzip;q=0, br')
  await check('gzip', body.subarray(0, 1_000))
  const share = await budget.take(budget.shareBytesMax)
  await check('gzip')
  share.release()
  await check('gzip', Buffer.alloc(40 * MB))
  assert.equal(budget.figures.usedBytes, 0)
})
