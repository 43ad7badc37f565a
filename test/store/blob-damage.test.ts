import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { openBlobStore } from '../../src/store/embedded/index.ts'
import { BlobDamaged, type BlobInfo, type BlobStore } from '../../src/store/index.ts'
import { patternOf } from '../contract/blob-store-contract.ts'
import { isNightly, Random, testSeeds } from '../support/random.ts'

const MB = 1_048_576
/** Two whole blocks and a short one. */
const BODY = patternOf(2 * MB + 300_001)
const TRAILER_BYTES = 3 * 4 + 32

interface Bench {
  readonly store: BlobStore
  readonly folder: string
  put(body: Buffer): Promise<BlobInfo>
  pathOf(blob: BlobInfo): string
}

async function withBench(body: (bench: Bench) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-blob-damage-'))
  const store = await openBlobStore({ folder })
  const put = (bytes: Buffer) => store.put(once(bytes), { bytesMax: 1e9 })
  const pathOf = ({ key }: BlobInfo) => join(folder, key.slice(0, 2), key)
  try {
    await body({ store, folder, put, pathOf })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** A body as a service without block checksums left it: the file is the body. */
function putPlain(folder: string, body: Buffer): BlobInfo {
  const sha256 = createHash('sha256').update(body).digest('hex')
  const key = sha256.slice(0, 32)
  mkdirSync(join(folder, key.slice(0, 2)), { recursive: true })
  writeFileSync(join(folder, key.slice(0, 2), key), body)
  return { key, bytes: body.length, sha256 }
}

function flip(path: string, at: number, bit = 3): void {
  const bytes = readFileSync(path)
  bytes[at] ^= 1 << bit
  writeFileSync(path, bytes)
}

/** What comes of a body until it ends or fails. */
async function drain(reading: Promise<Readable | undefined>) {
  const pieces: Buffer[] = []
  try {
    for await (const piece of (await reading) ?? []) pieces.push(piece)
    return { bytes: Buffer.concat(pieces), failure: undefined }
  } catch (failure) {
    return { bytes: Buffer.concat(pieces), failure }
  }
}

const whole = { start: 0, end: BODY.length }
const round = { mayGoOn: async () => true, onChecked: () => {} }

test('read() hands out nothing of a block that has a flipped bit, wherever it lies', async () => {
  await withBench(async ({ store, put, pathOf }) => {
    for (const at of [0, MB - 1, MB, MB + 500_000, 2 * MB, BODY.length - 1]) {
      const blob = await put(BODY)
      flip(pathOf(blob), at)
      const blockStart = at - (at % MB)
      const { bytes, failure } = await drain(store.read(blob, whole))
      assert.ok(failure instanceof BlobDamaged, `a flip at ${at} is told`)
      assert.ok(bytes.equals(BODY.subarray(0, blockStart)), `what is before byte ${at} is right`)
    }
  })
})

test('read() checks the whole blocks around a range before the range is handed out', async () => {
  await withBench(async ({ store, put, pathOf }) => {
    const blob = await put(BODY)
    flip(pathOf(blob), MB + 7)
    const check = async (start: number, end: number, served: number | 'all') => {
      const { bytes, failure } = await drain(store.read(blob, { start, end }))
      const expected = BODY.subarray(start, served === 'all' ? end : served)
      assert.ok(bytes.equals(expected), `${start}–${end}`)
      assert.equal(failure instanceof BlobDamaged, served !== 'all', `${start}–${end}`)
    }
    await check(5, MB, 'all')
    await check(2 * MB, BODY.length, 'all')
    await check(2 * MB - 1, 2 * MB, 2 * MB - 1)
    await check(MB + 500_000, MB + 500_001, MB + 500_000)
    await check(MB - 10, MB + 10, MB)
    await check(MB + 900_000, 2 * MB + 10, MB + 900_000)
    await check(MB, MB, 'all')
  })
})

test('read() rejects before it gives a stream when the first block is the damaged one', async () => {
  await withBench(async ({ store, put, pathOf }) => {
    const blob = await put(BODY)
    flip(pathOf(blob), 12)
    await assert.rejects(store.read(blob, whole), BlobDamaged)
  })
})

test('a block of another body, or from another place of the same, does not check', async () => {
  await withBench(async ({ store, put, pathOf }) => {
    const even = Buffer.concat([BODY.subarray(0, MB), BODY.subarray(0, MB)])
    const swapped = await put(Buffer.concat([patternOf(MB), Buffer.alloc(MB, 7)]))
    const bytes = readFileSync(pathOf(swapped))
    writeFileSync(
      pathOf(swapped),
      Buffer.concat([bytes.subarray(MB, 2 * MB), bytes.subarray(0, MB), bytes.subarray(2 * MB)]),
    )
    await assert.rejects(store.read(swapped, { start: 0, end: 1 }), BlobDamaged)
    const one = await put(even)
    const other = await put(Buffer.alloc(even.length, 9))
    copyFileSync(pathOf(other), pathOf(one))
    await assert.rejects(store.read(one, { start: 0, end: 1 }), BlobDamaged)
    assert.equal((await store.check(one, round)).outcome, 'damaged')
  })
})

const [SEED] = testSeeds(1)

test(`damaged checksums do not take a body away that its SHA-256 vouches for (WEIR_TEST_SEED=${SEED})`, async () => {
  await withBench(async ({ store, put, pathOf }) => {
    const random = new Random(SEED)
    const step = () => (isNightly ? 1 : random.integer(1, 6))
    for (let back = step(); back <= TRAILER_BYTES; back += step()) {
      const blob = await put(BODY)
      flip(pathOf(blob), BODY.length + TRAILER_BYTES - back, back % 8)
      const { bytes, failure } = await drain(store.read(blob, { start: MB - 5, end: MB + 5 }))
      assert.equal(failure, undefined)
      assert.ok(bytes.equals(BODY.subarray(MB - 5, MB + 5)))
      const check = await store.check(blob, round)
      assert.equal(check.outcome, 'damaged', `the scrub reports the flip ${back} from the end`)
      assert.equal((await store.check(blob, round)).outcome, 'whole', 'and has repaired it')
      await store.delete(blob.key)
    }
    const blob = await put(BODY)
    flip(pathOf(blob), BODY.length + 1)
    flip(pathOf(blob), 77)
    await assert.rejects(store.read(blob, whole), BlobDamaged)
    assert.equal((await store.check(blob, round)).outcome, 'damaged')
  })
})

test('a body that was cut short or has grown is never handed out beyond what checks', async () => {
  await withBench(async ({ store, put, pathOf }) => {
    for (const length of [0, 1, MB, BODY.length - 1]) {
      const blob = await put(BODY)
      truncateSync(pathOf(blob), length)
      await assert.rejects(store.read(blob, whole), BlobDamaged)
      assert.equal((await store.check(blob, round)).outcome, 'damaged')
    }
    const blob = await put(BODY)
    writeFileSync(pathOf(blob), Buffer.concat([readFileSync(pathOf(blob)), Buffer.alloc(9)]))
    const { bytes } = await drain(store.read(blob, whole))
    assert.ok(bytes.equals(BODY), 'the body is whole by its SHA-256')
  })
})

test('check() names the damaged blocks, counts what it read, and knows missing bodies', async () => {
  await withBench(async ({ store, put, pathOf }) => {
    const blob = await put(BODY)
    let items = 0
    let bytes = 0
    const counting = {
      mayGoOn: async () => true,
      onChecked: (moreItems: number, moreBytes: number) => {
        items += moreItems
        bytes += moreBytes
      },
    }
    assert.deepEqual(await store.check(blob, counting), { outcome: 'whole' })
    assert.deepEqual({ items, bytes }, { items: 3, bytes: BODY.length })
    flip(pathOf(blob), 1)
    flip(pathOf(blob), BODY.length - 1)
    const check = await store.check(blob, round)
    assert.equal(check.outcome, 'damaged')
    assert.match(check.outcome === 'damaged' ? check.what : '', /block 1 of 3 .*block 3 of 3/)
    assert.deepEqual(await store.check(blob, { ...round, mayGoOn: async () => false }), {
      outcome: 'stopped',
    })
    unlinkSync(pathOf(blob))
    assert.deepEqual(await store.check(blob, round), { outcome: 'missing' })
  })
})

test('bodies without block checksums are served only when their SHA-256 is right', async () => {
  await withBench(async ({ store, folder, pathOf }) => {
    for (const body of [BODY, patternOf(5), Buffer.alloc(0)]) {
      const blob = putPlain(folder, body)
      const { bytes, failure } = await drain(store.read(blob, { start: 0, end: body.length }))
      assert.equal(failure, undefined)
      assert.ok(bytes.equals(body))
    }
    const blob = putPlain(folder, patternOf(2 * MB))
    flip(pathOf(blob), 2 * MB - 1)
    await assert.rejects(store.read(blob, { start: 0, end: 1 }), BlobDamaged)
    assert.equal((await store.check(blob, round)).outcome, 'damaged')
  })
})

test('a plain body that rots after its first read is not served from memory of it', async () => {
  await withBench(async ({ store, folder, pathOf }) => {
    const blob = putPlain(folder, BODY)
    assert.equal((await drain(store.read(blob, whole))).failure, undefined)
    flip(pathOf(blob), MB + 5)
    const { bytes, failure } = await drain(store.read(blob, whole))
    assert.ok(failure instanceof BlobDamaged)
    assert.ok(bytes.equals(BODY.subarray(0, MB)))
  })
})

test('check() puts checksums behind a plain body, and leaves nothing of a stopped try', async () => {
  await withBench(async ({ store, folder, pathOf }) => {
    const blob = putPlain(folder, BODY)
    let asked = 0
    const stopping = {
      onChecked: () => {},
      mayGoOn: async () => {
        asked += 1
        return asked < 3
      },
    }
    assert.deepEqual(await store.check(blob, stopping), { outcome: 'stopped' })
    assert.equal(statSync(pathOf(blob)).size, BODY.length)
    assert.deepEqual(readdirSync(join(folder, 'incoming')), [])
    const reading = await store.read(blob, whole)
    assert.deepEqual(await store.check(blob, round), { outcome: 'whole' })
    assert.equal(statSync(pathOf(blob)).size, BODY.length + TRAILER_BYTES)
    assert.deepEqual(readdirSync(join(folder, 'incoming')), [])
    assert.ok((await drain(Promise.resolve(reading))).bytes.equals(BODY), 'a reader goes on')
    flip(pathOf(blob), 2 * MB)
    const { bytes } = await drain(store.read(blob, whole))
    assert.ok(bytes.equals(BODY.subarray(0, 2 * MB)), 'what is before the flip is served')
  })
})
