/** Acknowledged frames at the journal's end that are gone are reported, wherever they are cut. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openSampleStore } from '../../src/store/embedded/index.ts'
import { scanSegment } from '../../src/store/embedded/journal/scan.ts'
import { batch, read } from '../contract/sample-store-contract.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const SEGMENT_BYTES = 64 * 1024
const SECTOR_BYTES = 512
const LAST_ROWS = Array.from({ length: 200 }, (_, index) => [2, 2000 + index, index + 1] as const)

interface LastFrame {
  readonly offset: number
  readonly end: number
}

/** Three frames and a clean stop, then a change of the last one on disk; what the next start says. */
async function startAfter(
  context: TestContext,
  change: (bytes: Buffer, last: LastFrame) => Uint8Array,
) {
  const folder = temporaryFolder()
  const store = await openSampleStore({ folder, segmentBytes: SEGMENT_BYTES })
  await store.append(batch([[1, 1000, 1]]))
  await store.append(batch([[1, 1001, 2]]))
  await store.append(batch(LAST_ROWS))
  await store.close()
  const journal = join(folder, 'journal')
  const [name] = readdirSync(journal)
  const bytes = readFileSync(join(journal, name))
  const last = scanSegment(new Uint8Array(bytes)).frames[2]
  writeFileSync(join(journal, name), change(bytes, last))
  const reported: string[] = []
  const open = () =>
    openSampleStore({
      folder,
      segmentBytes: SEGMENT_BYTES,
      onDamage: (damage) => reported.push(damage.what),
    })
  const later = await open()
  context.after(() => later.close())
  return { later, reported, name }
}

test('a sector of the last frame that was lost after a clean stop is reported, with its stream', async (context) => {
  const { later, reported, name } = await startAfter(context, (bytes, { offset }) => {
    const sector = Math.ceil(offset / SECTOR_BYTES + 2) * SECTOR_BYTES
    return bytes.fill(0, sector, sector + SECTOR_BYTES)
  })
  assert.equal(reported.length, 1)
  assert.match(reported[0], /^frames 3 to 3 were acknowledged and are missing: .* not whole$/)
  const [damage] = later.status().damages
  assert.deepEqual([damage.file, damage.handles], [name, [2]])
  assert.deepEqual([damage.from, damage.until], [2000, 2200])
  assert.equal((await read(later, 1)).length, 2)
  assert.deepEqual(await read(later, 2), [])
  // The sequences of lost frames are not given twice: cursors beyond them are known to others.
  await later.append(batch([[3, 1, 1]]))
  assert.equal((await read(later, 3)).length, 1)
})

const GONE: Record<string, (bytes: Buffer, last: LastFrame) => Uint8Array> = {
  'zeros in its place': (bytes, { offset, end }) => bytes.fill(0, offset, end),
  'a file that ends before it': (bytes, { offset }) => bytes.subarray(0, offset),
  'a file that ends inside it': (bytes, { offset, end }) => bytes.subarray(0, (offset + end) >> 1),
  'zeros from its middle on': (bytes, { offset, end }) => bytes.fill(0, (offset + end) >> 1),
}

for (const [what, change] of Object.entries(GONE)) {
  test(`an acknowledged last frame is reported as missing: ${what}`, async (context) => {
    const { later, reported } = await startAfter(context, change)
    assert.equal(reported.length, 1)
    assert.match(
      reported[0],
      /^frames 3 to 3 were acknowledged and are missing|was made 65536 bytes/,
    )
    assert.equal((await read(later, 1)).length, 2)
  })
}

test('a frame that is not acknowledged and not whole is passed over in silence', async (context) => {
  const { later, reported } = await startAfter(context, (bytes, { offset, end }) => {
    // The beginning of a next frame, as a kill inside its write would leave it.
    bytes.copy(bytes, end, offset, offset + 16)
    return bytes
  })
  assert.deepEqual(reported, [])
  assert.equal((await read(later, 2)).length, LAST_ROWS.length)
})
