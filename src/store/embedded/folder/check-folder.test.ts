import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createOf } from '../../../../test/contract/catalog-components.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { epochMs } from '../../../base/index.ts'
import type { StreamHandle } from '../../ports/sample-port.ts'
import { openCatalogStore } from '../catalog/catalog-store.ts'
import { FolderDamaged } from '../damage/folder-damaged.ts'
import { openSampleStore } from '../samples/open-sample-store.ts'
import { checkFolder } from './check-folder.ts'
import { readFolderParts, writeMark } from './folder-parts.ts'
import { acceptLoss, markFolder } from './mark-folder.ts'

const SEGMENT_BYTES = 64 * 1024

interface Filling {
  readonly handle: number
  readonly time?: number
  readonly isSealed?: boolean
}

async function addSample(folder: string, filling: Filling): Promise<void> {
  const { handle, time = 1 } = filling
  const store = await openSampleStore({ folder, segmentBytes: SEGMENT_BYTES })
  await store.append({
    count: 1,
    handles: Uint32Array.of(handle),
    times: Float64Array.of(epochMs(time)),
    numbers: Float64Array.of(5),
    removals: [],
  })
  if (filling.isSealed === true) await store.sealAll()
  await store.close()
  mkdirSync(join(folder, 'files'), { recursive: true })
}

async function addStreams(folder: string, count: number): Promise<void> {
  const store = await openCatalogStore({ folder })
  const ids = Array.from({ length: count }, (_, at) => `s${at}`)
  if (count > 0) await store.commit([createOf([['device', ids]])])
  await store.close()
}

async function readTimes(folder: string, handle: number): Promise<number[]> {
  const store = await openSampleStore({ folder, segmentBytes: SEGMENT_BYTES })
  const query = {
    from: epochMs(0),
    until: epochMs(1_000),
    limit: 10,
    order: 'latest_first',
  } as const
  const { times, count } = await store.range(handle as StreamHandle, query)
  const found = [...times.subarray(0, count)]
  await store.close()
  return found
}

/** A folder of three streams with a sealed sample of the last one and an unsealed one, marked. */
async function filledFolder(): Promise<string> {
  template ??= fill(temporaryFolder())
  const folder = temporaryFolder()
  cpSync(await template, folder, { recursive: true })
  return folder
}

let template: Promise<string> | undefined

async function fill(folder: string): Promise<string> {
  await addStreams(folder, 3)
  await addSample(folder, { handle: 3, isSealed: true })
  await addSample(folder, { handle: 3, time: 2 })
  markFolder(folder)
  return folder
}

function lose(folder: string, name: string): void {
  for (const ending of ['', '-wal', '-shm']) {
    rmSync(join(folder, `${name}${ending}`), { force: true, recursive: true })
  }
}

function refuses(folder: string, expected: RegExp): void {
  const isTold = (error: unknown) => error instanceof FolderDamaged && expected.test(error.message)
  assert.throws(() => checkFolder(folder), isTold)
}

test('checkFolder() refuses a catalog that does not know the streams of the samples', async () => {
  const folder = await filledFolder()
  checkFolder(folder)
  lose(folder, 'catalog.db')
  refuses(folder, /^catalog\.db in .* is missing or empty, and only it can name/)
  await addStreams(folder, 2)
  refuses(folder, /older than samples\.db/)
})

test('checkFolder() refuses a journal whose catalog is missing, with nothing sealed', async () => {
  const folder = temporaryFolder()
  await addStreams(folder, 1)
  await addSample(folder, { handle: 1 })
  lose(folder, 'catalog.db')
  lose(folder, 'samples.db')
  refuses(folder, /catalog\.db in .* is missing .* that journal holds/)
})

test('checkFolder() refuses a journal with streams that the catalog never made', async () => {
  const folder = await filledFolder()
  checkFolder(folder)
  await addSample(folder, { handle: 4 })
  refuses(folder, /older than the journal/)
})

test('checkFolder() lets a first start pass that a crash cut short anywhere', async () => {
  const folder = temporaryFolder()
  checkFolder(folder)
  writeFileSync(join(folder, 'catalog.db'), '')
  checkFolder(folder)
  await addStreams(folder, 0)
  checkFolder(folder)
  mkdirSync(join(folder, 'journal'))
  writeFileSync(join(folder, 'samples.db'), '')
  checkFolder(folder)
  await (await openSampleStore({ folder })).close()
  checkFolder(folder)
  mkdirSync(join(folder, 'files', 'incoming'), { recursive: true })
  for (const name of ['journal', 'files', 'samples', 'catalog'] as const) {
    checkFolder(folder)
    const part = readFolderParts(folder)[name]
    writeMark(folder, part, 77)
  }
  checkFolder(folder)
  markFolder(folder)
  const marks = Object.values(readFolderParts(folder)).map(({ mark }) => mark)
  assert.deepEqual(marks, [77, 77, 77, 77])
})

test('checkFolder() rolls back the first write of a database that a crash cut short', async () => {
  for (const name of ['catalog.db', 'samples.db', 'payloads.db']) {
    const folder = temporaryFolder()
    const file = join(folder, name)
    // A file that SQLite has begun: the header is written, and the journal says that it was empty before.
    const db = new DatabaseSync(file)
    db.exec('PRAGMA page_size = 4096; PRAGMA journal_mode = WAL')
    db.close()
    const journal = Buffer.alloc(512)
    Buffer.from('d9d505f920a163d7', 'hex').copy(journal)
    journal.writeUInt32BE(512, 20)
    journal.writeUInt32BE(4096, 24)
    writeFileSync(`${file}-journal`, journal)
    checkFolder(folder)
    assert.equal(statSync(file).size, 0, name)
    assert.ok(!existsSync(`${file}-journal`), name)
    await (await openCatalogStore({ folder })).close()
    await (await openSampleStore({ folder })).close()
    checkFolder(folder)
  }
})

test('checkFolder() refuses a folder without marks of which a part is missing', async () => {
  for (const name of ['samples.db', 'journal', 'files']) {
    const folder = temporaryFolder()
    await addStreams(folder, 1)
    await addSample(folder, { handle: 1 })
    checkFolder(folder)
    lose(folder, name)
    refuses(folder, new RegExp(`^${name} in .* is missing or empty.*folder accept-loss`))
    acceptLoss(folder)
    checkFolder(folder)
  }
})

test('checkFolder() refuses parts that are missing, emptied or from before the marks', async () => {
  const folder = await filledFolder()
  const backup = temporaryFolder()
  cpSync(folder, backup, { recursive: true })
  const restore = () => {
    rmSync(folder, { recursive: true })
    cpSync(backup, folder, { recursive: true })
    checkFolder(folder)
  }
  for (const name of ['samples.db', 'journal', 'files']) {
    lose(folder, name)
    refuses(folder, new RegExp(`^${name} in .* is missing or empty`))
    if (name === 'samples.db') {
      writeFileSync(join(folder, name), '')
      refuses(folder, /^samples\.db in .* is missing or empty/)
      lose(folder, name)
      await (await openSampleStore({ folder })).close()
    } else {
      mkdirSync(join(folder, name))
    }
    refuses(folder, new RegExp(`^${name} in .* was emptied, or is older`))
    restore()
  }
})

test('checkFolder() and acceptLoss() refuse parts of two folders', async () => {
  const folder = await filledFolder()
  const other = temporaryFolder()
  await fill(other)
  for (const name of ['samples.db', 'journal', 'files', 'catalog.db']) {
    const mixed = temporaryFolder()
    cpSync(folder, mixed, { recursive: true })
    lose(mixed, name)
    cpSync(join(other, name), join(mixed, name), { recursive: true })
    refuses(mixed, /come from different data folders/)
    assert.throws(() => acceptLoss(mixed), FolderDamaged)
  }
})

test('acceptLoss() gives up the part that is lost and keeps the others', async () => {
  const folder = await filledFolder()
  assert.deepEqual(acceptLoss(folder), [])
  const found = readFolderParts(folder)
  const old = temporaryFolder()
  cpSync(folder, old, { recursive: true })
  lose(folder, 'journal')
  assert.deepEqual(
    acceptLoss(folder).map(({ name }) => name),
    ['journal'],
  )
  checkFolder(folder)
  assert.notEqual(readFolderParts(folder).catalog.mark, found.catalog.mark)
  assert.deepEqual(await readTimes(folder, 3), [1])
  assert.deepEqual(await readTimes(old, 3), [2, 1])
  // What was given up cannot come back beside what was stored since.
  lose(folder, 'samples.db')
  cpSync(join(old, 'samples.db'), join(folder, 'samples.db'))
  refuses(folder, /before and after a loss/)
  assert.throws(() => acceptLoss(folder), FolderDamaged)
})

test('acceptLoss() can be done again when a crash cut it short', async () => {
  const cases: Array<[lost: string[], given: Array<'catalog' | 'samples' | 'files'>]> = [
    [['journal'], ['catalog']],
    [['journal'], ['catalog', 'samples']],
    [['journal'], ['catalog', 'samples', 'files']],
    [['samples.db'], ['catalog']],
    [['samples.db'], ['catalog', 'files']],
    [['samples.db', 'journal'], ['catalog']],
  ]
  for (const [lost, given] of cases) {
    const folder = await filledFolder()
    for (const name of lost) lose(folder, name)
    for (const name of given) writeMark(folder, readFolderParts(folder)[name], 77)
    refuses(folder, /folder accept-loss/)
    acceptLoss(folder)
    checkFolder(folder)
    const marks = new Set(Object.values(readFolderParts(folder)).map(({ mark }) => mark))
    assert.equal(marks.size, 1, `${lost} ${given}`)
  }
})

test('checkFolder() names the file that is no database', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'samples.db'), 'x'.repeat(8_192))
  refuses(folder, /samples\.db cannot be read/)
})

test('checkFolder() names a database that is a folder', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'samples.db'))
  assert.throws(() => checkFolder(folder), /samples\.db is a folder and should be a file/)
})
