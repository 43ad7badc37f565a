import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openPayloadStore } from '../../src/store/embedded/index.ts'
import { payloadOf } from '../contract/payload-store-contract.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const COUNT = 20
const WAL = 'payloads.db-wal'

/** Two folders for a test: one that stores run on, and one to copy it to. */
function makeFolders(): { folder: string; crashed: string } {
  const root = temporaryFolder()
  return { folder: join(root, 'running'), crashed: join(root, 'crashed') }
}

/** A folder as kill -9 leaves it: copied while the store is open, with all it had acknowledged. */
async function makeCrashed(count = COUNT): Promise<string> {
  const { folder, crashed } = makeFolders()
  mkdirSync(folder)
  const store = await openPayloadStore({ folder })
  for (let number = 1; number <= count; number++) await store.put(payloadOf(number)).landed
  cpSync(folder, crashed, { recursive: true })
  await store.close()
  return crashed
}

interface Opened {
  readonly reported: readonly string[]
  readonly kept: number
}

/** Opens a folder, asks what is there, and puts one more where that is wanted. */
async function look(folder: string, isPutWanted = false): Promise<Opened> {
  const reported: string[] = []
  const store = await openPayloadStore({ folder, onDamage: (what) => reported.push(what) })
  try {
    const { totalCount } = await store.list('c1', { start: 0, limit: 1_000 })
    if (isPutWanted) await store.put(payloadOf(99)).landed
    return { reported, kept: totalCount }
  } finally {
    await store.close()
  }
}

test('a kill leaves a complete folder, and nothing is reported', async () => {
  assert.deepEqual(await look(await makeCrashed()), { reported: [], kept: COUNT })
})

test('acknowledged payloads that are missing from a damaged or lost log are reported', async () => {
  const folder = await makeCrashed()
  const whole = readFileSync(join(folder, WAL))
  // In the page of a frame: SQLite drops it, and all commits that came after it.
  for (const share of [0.3, 0.6, 0.9]) {
    const bytes = Buffer.from(whole)
    bytes[Math.floor(bytes.length * share)] ^= 4
    const copy = `${folder}-${share}`
    cpSync(folder, copy, { recursive: true })
    writeFileSync(join(copy, WAL), bytes)
    const { reported, kept } = await look(copy)
    assert.ok(kept < COUNT, `a flip at ${share} cost nothing`)
    assert.equal(reported.length, 1, `told for a flip at ${share}: ${reported.join()}`)
    assert.match(
      reported[0],
      new RegExp(`misses up to ${COUNT - kept} payloads that came last: .*-wal`),
    )
  }
})

test('a missing file is reported until new payloads arrive', async () => {
  const folder = await makeCrashed()
  for (const name of ['payloads.db', WAL]) rmSync(join(folder, name))
  assert.match((await look(folder)).reported.join(), /^it is missing, though/)
  assert.match((await look(folder, true)).reported.join(), /^it is missing, though/)
  assert.deepEqual(await look(folder), { reported: [], kept: 1 })
})

test('payloads that go with their connector are not missed, also when a kill follows', async () => {
  const { folder, crashed } = makeFolders()
  cpSync(await makeCrashed(), folder, { recursive: true })
  const store = await openPayloadStore({ folder })
  await store.deleteOf('c1')
  cpSync(folder, crashed, { recursive: true })
  await store.close()
  assert.deepEqual(await look(crashed), { reported: [], kept: 0 })
  assert.deepEqual(await look(folder), { reported: [], kept: 0 })
})

test('numbers of payloads that were lost are not given again', async () => {
  const uidOfFirst = async (folder: string): Promise<string> => {
    const store = await openPayloadStore({ folder })
    const { uid, landed } = store.put(payloadOf(1))
    await landed
    await store.close()
    return uid
  }
  const { folder: empty } = makeFolders()
  mkdirSync(empty)
  const crashed = await makeCrashed()
  rmSync(join(crashed, WAL))
  assert.notEqual(await uidOfFirst(crashed), await uidOfFirst(empty))
})

test('a file that was set aside is reported, by scrubs too, until it is removed from the quarantine', async () => {
  const folder = await makeCrashed()
  rmSync(join(folder, WAL))
  writeFileSync(join(folder, 'payloads.db'), 'no database at all '.repeat(500))
  const [first] = (await look(folder)).reported
  assert.match(
    first,
    /^it cannot be read \(file is not a database\), and was moved to quarantine\//,
  )
  const place = first.split(' moved to ')[1]
  const expected = `${place} has payloads that could not be read; delete it to stop this report`
  assert.deepEqual((await look(folder, true)).reported, [expected])
  const found: string[] = []
  const store = await openPayloadStore({ folder })
  await store.scrub({
    mayGoOn: async () => true,
    onChecked: () => {},
    onDamage: ({ what }) => found.push(what),
  })
  await store.close()
  assert.deepEqual(found, [`payloads.db: ${expected}`])
  rmSync(join(folder, place))
  assert.deepEqual(await look(folder), { reported: [], kept: 1 })
})
