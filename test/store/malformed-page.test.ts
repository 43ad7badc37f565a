/** A page of samples.db that SQLite calls malformed: readable rows are served, and damage is reported. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { readFolderParts } from '../../src/store/embedded/folder/folder-parts.ts'
import { type EmbeddedSampleStore, openSampleStore } from '../../src/store/embedded/index.ts'
import { KnownDamage, type Sample } from '../../src/store/index.ts'
import type { ScrubFinding } from '../../src/store/ports/scrub-port.ts'
import { batch, read, stream } from '../contract/sample-store-contract.ts'
import { damageCell } from '../support/damage-cell.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const STREAMS = [1, 2, 3, 4, 5, 6]
const COUNT = 50

/** Sealed samples of six streams in a page each of table and index, one cell of which is damaged. */
async function openDamaged(name: string, cell: number) {
  const folder = temporaryFolder()
  const first = await openSampleStore({ folder })
  await fill(first, 0)
  await first.sealAll()
  await first.close()
  damageCell(join(folder, 'samples.db'), name, cell)
  const reported: string[] = []
  const open = () =>
    openSampleStore({ folder, onDamage: ({ file, what }) => reported.push(`${file}: ${what}`) })
  return { folder, reported, open }
}

async function fill(store: EmbeddedSampleStore, from: number): Promise<void> {
  for (let time = from; time < from + COUNT; time += 1) {
    await store.append(batch(STREAMS.map((one) => [one, time, time] as const)))
  }
}

async function counts(store: EmbeddedSampleStore): Promise<number[]> {
  return await Promise.all(STREAMS.map(async (one) => (await read(store, one)).length))
}

async function scrub(store: EmbeddedSampleStore): Promise<ScrubFinding[]> {
  const found: ScrubFinding[] = []
  await store.scrub({
    mayGoOn: async () => true,
    onChecked: () => {},
    onDamage: (finding) => found.push(finding),
  })
  return found
}

for (const name of ['chunk', 'chunk_by_start']) {
  test(`a malformed cell of ${name} costs its stream at most, and puts go on`, async (context) => {
    const { reported, open } = await openDamaged(name, 0)
    const store = await open()
    context.after(() => store.close())
    // A search in the index may pass the malformed cell on its way to some other streams.
    const latest = await store.latest(STREAMS.map(stream))
    const isWhole = (sample: Sample | undefined) => sample?.time === COUNT - 1
    assert.ok(latest.filter(isWhole).length >= (name === 'chunk' ? 5 : 3))
    assert.ok((await counts(store)).filter((count) => count === COUNT).length >= 3)
    for (const one of STREAMS) await store.fold(stream(one), Float64Array.of(0, COUNT))
    await store.append(batch(STREAMS.map((one) => [one, 1_000, 7] as const)))
    assert.deepEqual((await read(store, 1)).at(-1), [1_000, 7])
    assert.ok(reported.length > 0)
    assert.ok(reported.every((text) => text.startsWith('samples.db')))
    const known = new KnownDamage()
    known.attach({ setAside: () => store.status().damages, isLiving: () => true })
    for (const damage of store.status().damages) known.countSetAside(damage)
    assert.ok(known.list().every(({ part }) => part === 'samples'))
    assert.ok(known.foundTotal('samples') > 0)
  })
}

test('a read has the index rebuilt when the rows are intact, reports that, and misses nothing', async (context) => {
  const { open } = await openDamaged('chunk_by_start', 0)
  const store = await open()
  context.after(() => store.close())
  assert.deepEqual(
    await counts(store),
    STREAMS.map(() => COUNT),
  )
  assert.ok(store.status().damages.length > 0)
  assert.deepEqual(await scrub(store), [])
})

test('a scrub has the index built again where the rows are whole; then everything is served', async (context) => {
  const { open } = await openDamaged('chunk_by_start', 0)
  const store = await open()
  context.after(() => store.close())
  assert.ok((await scrub(store)).some(({ part }) => part === 'samples'))
  assert.deepEqual(
    await counts(store),
    STREAMS.map(() => COUNT),
  )
  assert.deepEqual(await scrub(store), [])
})

test('a scrub reports a malformed row, and leaves the index that has it', async (context) => {
  const { open } = await openDamaged('chunk', 0)
  const store = await open()
  context.after(() => store.close())
  assert.ok((await scrub(store)).some(({ part, handle }) => part === 'samples' && handle === 1))
  assert.deepEqual((await counts(store)).slice(1), [COUNT, COUNT, COUNT, COUNT, COUNT])
})

test('a look at the parts of a folder gets over an index whose end is malformed', async () => {
  const { folder, open } = await openDamaged('chunk_by_start', STREAMS.length - 1)
  const { isThere, progress, handle } = readFolderParts(folder).samples
  assert.ok(isThere && progress > 0)
  assert.equal(handle, 0)
  const store = await open()
  await fill(store, COUNT)
  await store.sealAll()
  await store.close()
  assert.equal(readFolderParts(folder).samples.handle, STREAMS.length)
})
