import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { epochMs } from '../../src/base/index.ts'
import {
  acceptLoss,
  checkFolder,
  type EmbeddedSampleStore,
  FolderDamaged,
  markFolder,
  openCatalogStore,
  openSampleStore,
} from '../../src/store/embedded/index.ts'
import type { CatalogStore } from '../../src/store/index.ts'
import { createOf } from '../contract/catalog-components.ts'
import { isNightly, Random, testSeeds } from '../support/random.ts'

const SEGMENT_BYTES = 64 * 1024

/** A folder as kill -9 leaves it: copied while the stores are open, with all they had acknowledged. */
interface Crashed {
  /** A fresh copy to damage. */
  copy(): string
  /** The folder as it was at the stop before. */
  readonly before: string
}

interface Stores {
  readonly catalog: CatalogStore
  readonly samples: EmbeddedSampleStore
  append(handle: number, time: number): Promise<void>
}

async function putUnit(store: CatalogStore, uid: string): Promise<void> {
  const put = {
    op: 'put',
    orgUid: 'o',
    kind: 'unit',
    uid,
    body: { note: 'x'.repeat(300) },
  } as const
  await store.commit([{ ...put, expectedRevision: 0 }])
}

const root = mkdtempSync(join(tmpdir(), 'weir-progress-'))
let crashed: Crashed

before(async () => {
  crashed = await makeCrashed()
})

after(() => rmSync(root, { recursive: true, force: true }))

async function makeCrashed(): Promise<Crashed> {
  const [folder, before, killed] = ['running', 'before', 'killed'].map((name) => join(root, name))
  mkdirSync(join(folder, 'files'), { recursive: true })
  // Stopped once in between, so that what follows is in the -wal files alone.
  const handle = await inStores(folder, async ({ catalog, append }) => {
    const { firstHandles } = await catalog.commit([createOf([['device', ['s']]])])
    markFolder(folder)
    await append(firstHandles[0], 1)
    return firstHandles[0]
  })
  cpSync(folder, before, { recursive: true })
  await inStores(folder, async ({ catalog, samples, append }) => {
    for (let at = 0; at < 20; at += 1) await putUnit(catalog, `unit-${at}`)
    await append(handle, 2)
    await samples.sealAll()
    await append(handle, 3)
    cpSync(folder, killed, { recursive: true })
  })
  let copies = 0
  const copy = (): string => {
    copies += 1
    const name = join(root, `copy-${copies}`)
    cpSync(killed, name, { recursive: true })
    for (const shared of ['catalog.db-shm', 'samples.db-shm']) rmSync(join(name, shared))
    return name
  }
  return { copy, before }
}

async function inStores<T>(folder: string, use: (stores: Stores) => Promise<T>): Promise<T> {
  const catalog = await openCatalogStore({ folder })
  const samples = await openSampleStore({ folder, segmentBytes: SEGMENT_BYTES })
  const append = (handle: number, time: number) =>
    samples.append({
      count: 1,
      handles: Uint32Array.of(handle),
      times: Float64Array.of(epochMs(time)),
      numbers: Float64Array.of(5),
      removals: [],
    })
  const result = await use({ catalog, samples, append })
  await samples.close()
  await catalog.close()
  return result
}

async function countUnits(folder: string): Promise<number> {
  const store = await openCatalogStore({ folder })
  const { documents } = await store.list({ orgUid: 'o', kind: 'unit', start: 0, limit: 100 })
  await store.close()
  return documents.length
}

test('a folder left by kill -9 holds everything and starts', async () => {
  const folder = crashed.copy()
  checkFolder(folder)
  assert.equal(await countUnits(folder), 20)
  checkFolder(folder)
})

test('no flipped bit in catalog.db-wal drops acknowledged edits unseen', async () => {
  for (const seed of testSeeds(1)) {
    const random = new Random(seed)
    let refused = 0
    for (let round = 0; round < 25; round += 1) {
      const folder = crashed.copy()
      const file = join(folder, 'catalog.db-wal')
      const bytes = readFileSync(file)
      const bit = random.integer(0, bytes.length * 8)
      bytes[bit >> 3] ^= 1 << (bit & 7)
      writeFileSync(file, bytes)
      try {
        checkFolder(folder)
      } catch (error) {
        assert.ok(error instanceof FolderDamaged, `seed ${seed}, bit ${bit}: ${error}`)
        assert.match(error.message, /catalog\.db in .* misses the last \d+ changes: its -wal file/)
        refused += 1
        continue
      } finally {
        if (round % 8 !== 0) rmSync(folder, { recursive: true })
      }
      if (round % 8 === 0) assert.equal(await countUnits(folder), 20, `seed ${seed}, bit ${bit}`)
    }
    assert.ok(refused > 10, `seed ${seed}: ${refused} of 25 were refused`)
  }
})

/** Each part that can be removed from a folder, and how its absence is reported. */
const taken = [
  { name: 'catalog.db-wal', reported: /catalog\.db in .* misses the last \d+ changes/ },
  { name: 'what was sealed last', reported: /samples\.db in .* misses what was sealed last/ },
  {
    name: 'the newest segment',
    reported: /journal in .* misses its newest segment, journal-\d+\.seg/,
  },
] as const

for (const { name, reported } of taken) {
  test(`a folder without ${name} is reported, and opens once the loss is accepted`, async () => {
    const folder = crashed.copy()
    takeAway(folder, name, crashed.before)
    assert.throws(() => checkFolder(folder), reported)
    assert.ok(acceptLoss(folder).length > 0)
    checkFolder(folder)
    assert.deepEqual(acceptLoss(folder), [])
    await inStores(folder, async ({ catalog, append }) => {
      await putUnit(catalog, 'later')
      await append(1, 9)
    })
    checkFolder(folder)
  })
}

function takeAway(folder: string, name: (typeof taken)[number]['name'], before: string): void {
  const journal = join(folder, 'journal')
  if (name === 'catalog.db-wal') rmSync(join(folder, name))
  if (name === 'the newest segment') {
    // The very last one is prepared and holds nothing yet.
    for (const file of newestSegments(journal)) rmSync(join(journal, file))
  }
  if (name === 'what was sealed last') {
    for (const file of ['samples.db', 'samples.db-wal']) {
      rmSync(join(folder, file), { force: true })
      if (existsSync(join(before, file))) cpSync(join(before, file), join(folder, file))
    }
  }
}

function newestSegments(journal: string): string[] {
  return readdirSync(journal).filter((name) => name.endsWith('.seg'))
}

const [SEED] = testSeeds(1)

test(`a progress file that is damaged or missing refuses nothing (WEIR_TEST_SEED=${SEED})`, () => {
  const folder = crashed.copy()
  const file = join(folder, 'progress')
  const bytes = readFileSync(file)
  const random = new Random(SEED)
  for (let bit = 0; bit < bytes.length * 8; bit += isNightly ? 1 : random.integer(1, 16)) {
    const flipped = Buffer.from(bytes)
    flipped[bit >> 3] ^= 1 << (bit & 7)
    writeFileSync(file, flipped)
    checkFolder(folder)
  }
  rmSync(file)
  checkFolder(folder)
})
