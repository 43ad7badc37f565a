// Alone: it looks at every call of SQLite while a folder is migrated.
import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { openStorage } from '../../src/assembly/open-storage.ts'
import { createLog, readConfig, systemClock } from '../../src/base/index.ts'
import { openCatalog } from '../../src/catalog/index.ts'
import { checkFolder, migrateFolder, openSampleStore } from '../../src/store/embedded/index.ts'
import { packChunk, RUN_LEVEL } from '../../src/store/embedded/rows/chunk-row.ts'
import { ChunkTable } from '../../src/store/embedded/seal/chunk-table.ts'
import { openSamplesFile } from '../../src/store/embedded/seal/open-samples-file.ts'
import { type CatalogStore, KnownDamage } from '../../src/store/index.ts'
import { batch, read } from '../contract/sample-store-contract.ts'
import { ownerOf, people } from '../support/catalog.ts'
import { damageCell } from '../support/damage-cell.ts'
import {
  ANSWERS_9,
  change,
  fingerprint,
  makeOldFolder,
  OLD_STATES,
  OLD_STREAM,
  type OldState,
  timesOf,
} from '../support/old-folder.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = temporaryFolder()

const nameOf = ({ samples, end }: OldState) => `${samples}-${end}`

async function oldFolder(state: OldState, purpose: string): Promise<string> {
  const template = join(root, `template-${nameOf(state)}`)
  if (!existsSync(template)) await makeOldFolder(template, state)
  const folder = join(root, `${purpose}-${nameOf(state)}`)
  cpSync(template, folder, { recursive: true })
  return folder
}

/** Opens a folder as a start does; returns the log of that. */
async function open(folder: string, opened: AsyncDisposableStack, logLines: string[] = []) {
  const config = readConfig({ WEIR_DATA_DIR: folder })
  const log = createLog({ level: 'info', destination: { write: (line) => logLines.push(line) } })
  const damage = new KnownDamage()
  const storage = await openStorage({ config, clock: systemClock, log, damage }, opened)
  return { ...storage, ...(await storage.openStores()) }
}

const STREAM_DEFAULTS = {
  description: '',
  streamType: 'rdm_stream',
  valueType: '',
  unit: null,
  baseCycle: null,
  rollupMethod: 'avg',
  streamDerivationType: 'NONE',
  delete_profile: null,
  location: null,
  timeZoneId: '',
  revision: 1,
}

/** Holds what a catalog answers against what the Weir of before answered. */
async function assertCatalog(store: CatalogStore): Promise<void> {
  const { components, index } = await openCatalog({ store, people })
  for (const [orgUid, wanted] of Object.entries(ANSWERS_9.components)) {
    const principal = ownerOf(orgUid)
    const { totalCount } = await store.components.list({ orgUid, start: 0, limit: 1 })
    assert.equal(totalCount, wanted.length)
    for (const one of wanted) {
      const found = await components.get(principal, one.uid)
      // Of a long component the last streams are listed.
      const stream = found.stream?.slice(-one.stream.length || undefined)
      const wantedStreams = one.stream.map((stream) => ({ ...STREAM_DEFAULTS, ...stream }))
      assert.deepEqual({ ...found, stream }, { mainStream: '', ...one, stream: wantedStreams })
    }
    for (const { stream } of wanted) {
      for (const { uid } of stream) {
        assert.equal(index.streamByUid(orgUid, uid), ANSWERS_9.handles[uid])
      }
    }
  }
}

/** Holds a folder against what it held before the upgrade, and adds a sample, sealed. */
async function assertWhole(folder: string, times: readonly number[]): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const logLines: string[] = []
  const { catalog, samples } = await open(folder, opened, logLines)
  await assertCatalog(catalog)
  const expected = times.map((time) => [time, time / 8])
  assert.deepEqual(await read(samples, OLD_STREAM), expected)
  assert.deepEqual(samples.status().damages, [])
  assert.deepEqual(
    logLines.filter((line) => JSON.parse(line).level !== 'info'),
    [],
  )
}

for (const state of OLD_STATES) {
  test(`a folder with samples ${state.samples}, ${state.end}, is upgraded with all it holds`, async () => {
    const folder = await oldFolder(state, 'whole')
    const times = timesOf(state)
    await assertWhole(folder, times)
    await assertWhole(folder, times)
    const store = await openSampleStore({ folder })
    await store.append(batch([[OLD_STREAM, 9_000, 9_000 / 8]]))
    await store.sealAll()
    await store.close()
    await assertWhole(folder, [...times, 9_000])
  })
}

test('a folder that an earlier version upgraded and then refused is opened', async () => {
  for (const state of OLD_STATES.filter(({ samples }) => samples !== 'sealed')) {
    const folder = await oldFolder(state, 'refused')
    migrateFolder(folder)
    // That version wrote the check of a state that was not there.
    change(folder, 'samples.db', `INSERT INTO meta VALUES ('sealed_check', 1)`)
    await assertWhole(folder, timesOf(state))
    // A first seal that is cut leaves rows beside the state before it.
    {
      using db = openSamplesFile(join(folder, 'samples.db'))
      const table = new ChunkTable(db)
      table.beginSeal()
      const columns = { count: 1, times: Float64Array.of(9), numbers: Float64Array.of(1) }
      table.insert(9, RUN_LEVEL, packChunk(columns, 9, RUN_LEVEL))
      table.commit()
    }
    await assertWhole(folder, timesOf(state))
  }
})

test('a kill at any step of the migration loses nothing', async () => {
  for (const state of OLD_STATES.filter(({ end }) => end === 'killed')) {
    const folder = await oldFolder(state, 'cut')
    const copies = copyAtEveryStep(folder, () => migrateFolder(folder))
    // Both databases old, both new, and one of them new, at least.
    assert.ok(copies.length >= 3, `${copies.length} states of ${nameOf(state)}`)
    for (const copy of copies) await assertWhole(copy, timesOf(state))
  }
})

/** Copies a folder before and after every call of SQLite by which it is written; returns the copies that differ. */
function copyAtEveryStep(folder: string, work: () => void): string[] {
  const copies = new Map<string, string>()
  const copy = (): void => {
    const key = JSON.stringify(fingerprint(folder))
    if (copies.has(key)) return
    copies.set(key, `${folder}.${copies.size}`)
    cpSync(folder, `${folder}.${copies.size - 1}`, { recursive: true })
  }
  const { exec } = DatabaseSync.prototype
  const { run } = StatementSync.prototype
  const watched = <T extends (...given: never[]) => unknown>(call: T): T =>
    function (this: unknown, ...given: never[]) {
      copy()
      try {
        return call.apply(this, given)
      } finally {
        copy()
      }
    } as T
  DatabaseSync.prototype.exec = watched(exec)
  StatementSync.prototype.run = watched(run)
  try {
    work()
  } finally {
    DatabaseSync.prototype.exec = exec
    StatementSync.prototype.run = run
  }
  copy()
  return [...copies.values()]
}

/** What a start refuses, how it says so, and how a folder comes to it. */
const REFUSED: ReadonlyArray<{
  readonly what: string
  readonly text: RegExp
  readonly samples?: OldState['samples']
  spoil(folder: string): void | Promise<void>
}> = [
  {
    what: 'a damaged key file',
    text: /secret\.key must hold 64 hex digits/,
    spoil: (folder) => writeFileSync(join(folder, 'secret.key'), 'short\n'),
  },
  {
    what: 'a catalog.db of a later Weir',
    text: /^catalog\.db has format 99 .* later Weir/,
    spoil: (folder) => change(folder, 'catalog.db', 'PRAGMA user_version = 99'),
  },
  {
    what: 'a catalog.db with other tables',
    text: /catalog\.db in .* is damaged \(.*no such index/,
    spoil: (folder) => change(folder, 'catalog.db', 'DROP INDEX document_parent'),
  },
  {
    what: 'a samples.db of a later Weir',
    text: /^samples\.db has format 99 .* later Weir/,
    spoil: (folder) => change(folder, 'samples.db', 'PRAGMA user_version = 99'),
  },
  {
    what: 'a samples.db with other tables',
    text: /samples\.db does not describe its tables/,
    spoil: (folder) => change(folder, 'samples.db', 'DROP INDEX touched_by_stream'),
  },
  {
    what: 'a samples.db that does not tell how far the journal is in it',
    text: /samples\.db does not tell how far the journal is in it/,
    samples: 'sealed',
    spoil: (folder) =>
      change(folder, 'samples.db', `DELETE FROM meta WHERE name LIKE 'sealed_seg%'`),
  },
  {
    what: 'a payloads.db of a later Weir',
    text: /^payloads\.db has format 99 .* later Weir/,
    spoil: (folder) =>
      change(folder, 'payloads.db', 'CREATE TABLE one (a); PRAGMA user_version = 99'),
  },
  {
    what: 'an empty payloads.db of a later Weir',
    text: /^payloads\.db has format 99 .* later Weir/,
    spoil: (folder) => change(folder, 'payloads.db', 'PRAGMA user_version = 99'),
  },
  {
    what: 'a samples.db that lost its format number',
    text: /^samples\.db has tables but no format number/,
    spoil: (folder) => change(folder, 'samples.db', 'PRAGMA user_version = 0'),
  },
  {
    what: 'a samples.db with a format number below 0',
    text: /^samples\.db has tables but no format number/,
    spoil: (folder) => change(folder, 'samples.db', 'PRAGMA user_version = -1'),
  },
  {
    what: 'a journal of a later Weir',
    text: /^journal has format 2 .* later Weir/,
    samples: 'unsealed',
    spoil: (folder) => {
      const file = join(folder, 'journal', 'journal-000000000001.seg')
      const bytes = readFileSync(file)
      bytes.writeUInt32LE(2, 4)
      bytes.writeUInt32LE(crc32(bytes.subarray(0, 28)), 28)
      writeFileSync(file, bytes)
    },
  },
  {
    what: 'a catalog.db that is older than the journal',
    text: /catalog\.db in .* is older than the journal/,
    samples: 'unsealed',
    spoil: (folder) =>
      change(
        folder,
        'catalog.db',
        `UPDATE sqlite_sequence SET seq = 6 WHERE name = 'stream_handle';
         UPDATE meta SET value = 6 WHERE name = 'last_handle'`,
      ),
  },
  {
    what: 'parts of different folders',
    text: /come from different data folders/,
    spoil: (folder) => writeFileSync(join(folder, 'journal', 'mark'), '4\n'),
  },
  {
    what: 'a restore that was not finished',
    text: /restore into .* was not finished/,
    spoil: (folder) => void mkdirSync(join(folder, 'restoring')),
  },
]

for (const { what, text, samples = 'unsealed', spoil } of REFUSED) {
  test(`a start that refuses ${what} leaves the folder unchanged`, async () => {
    for (const state of OLD_STATES.filter((one) => one.samples === samples)) {
      const folder = await oldFolder(state, what.replaceAll(/\W/g, '-'))
      await spoil(folder)
      const before = fingerprint(folder)
      const logLines: string[] = []
      await using opened = new AsyncDisposableStack()
      await assert.rejects(open(folder, opened, logLines), (error: Error) =>
        text.test(error.message),
      )
      assert.deepEqual(fingerprint(folder), before, nameOf(state))
      assert.deepEqual(logLines, [])
    }
  })
}

test('checkFolder() lets a payloads.db pass that cannot be read: its store sets it aside', async () => {
  const folder = await oldFolder({ samples: 'unsealed', end: 'stopped' }, 'payloads')
  for (const bytes of ['hello', '\0'.repeat(8_192)]) {
    writeFileSync(join(folder, 'payloads.db'), bytes)
    checkFolder(folder)
  }
})

test('an upgrade that meets damage leaves the folder as it was', async () => {
  const damages = [
    `UPDATE family SET packed = replace(packed, 'gateway', 'gateweh')`,
    `UPDATE family_page SET scope = 2`,
    `UPDATE document SET body = replace(body, 'kWh', 'kVh')`,
    `UPDATE meta SET value = value + 1 WHERE name = 'last_handle'`,
    'DROP TABLE shape',
  ]
  for (const [at, sql] of damages.entries()) {
    const folder = await oldFolder({ samples: 'sealed', end: 'stopped' }, `damaged-${at}`)
    change(folder, 'catalog.db', sql)
    const before = fingerprint(folder)
    await using opened = new AsyncDisposableStack()
    await assert.rejects(open(folder, opened), /catalog\.db in .* is damaged/, sql)
    assert.deepEqual(fingerprint(folder), before, sql)
  }
})

for (const { what, isLost, spoil } of [
  {
    what: 'a row that is missing',
    isLost: true,
    spoil: (folder: string) => change(folder, 'samples.db', 'DELETE FROM chunk'),
  },
  {
    what: 'sums that do not check',
    isLost: false,
    spoil: (folder: string) =>
      change(folder, 'samples.db', 'UPDATE stream_sum SET sums = zeroblob(length(sums))'),
  },
  {
    what: 'an index that cannot be read',
    isLost: false,
    spoil: (folder: string) => damageCell(join(folder, 'samples.db'), 'chunk_by_start', 0),
  },
]) {
  test(`an upgrade of a samples.db with ${what} keeps what is left and reports the damage`, async () => {
    const state = { samples: 'sealed', end: 'stopped' } as const
    const folder = await oldFolder(state, what.replaceAll(' ', '-'))
    spoil(folder)
    assert.deepEqual(migrateFolder(folder).at(-1), { name: 'samples.db', from: 2, to: 3 })
    await using opened = new AsyncDisposableStack()
    const { samples } = await open(folder, opened)
    const left = isLost ? timesOf(state).slice(-1) : timesOf(state)
    assert.deepEqual(
      await read(samples, OLD_STREAM),
      left.map((time) => [time, time / 8]),
    )
    assert.ok(samples.status().damages.length > 0)
  })
}

test('older folders are refused unchanged, with the commit that upgrades them', async () => {
  for (const [name, format] of [
    ['catalog.db', 8],
    ['samples.db', 1],
    ['payloads.db', 1],
  ] as const) {
    const folder = await oldFolder({ samples: 'sealed', end: 'stopped' }, `older-${name}`)
    change(folder, name, `CREATE TABLE one (a); PRAGMA user_version = ${format}`)
    const before = fingerprint(folder)
    await using opened = new AsyncDisposableStack()
    await assert.rejects(
      open(folder, opened),
      /^FolderDamaged: .* start commit 922df51d of Weir once/,
    )
    assert.deepEqual(fingerprint(folder), before, name)
  }
})
