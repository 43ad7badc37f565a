/** Data folders as Weir left them with a catalog.db of format 9 and a samples.db of format 2. */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openSampleStore } from '../../src/store/embedded/index.ts'
import { batch } from '../contract/sample-store-contract.ts'
import { writeSumsOfFormat2 } from './format-2-sums.ts'

const fixture = (name: string) =>
  readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8')

/** The statements that make such a catalog.db, as commit 922df51d left it. */
export const FORMAT_9 = fixture('catalog-format-9.sql')

/** What that commit answered of its components; streams leave out what is as by default. */
export const ANSWERS_9 = JSON.parse(fixture('catalog-format-9.json')) as {
  readonly components: Readonly<Record<string, readonly OldComponent[]>>
  /** Of streams by UID. */
  readonly handles: Readonly<Record<string, number>>
}

interface OldComponent {
  readonly uid: string
  readonly stream: readonly { readonly uid: string }[]
}

/** The stream of the catalog that has samples. */
export const OLD_STREAM = ANSWERS_9.handles['22222222-2222-4222-8222-222222222222']
/** As in the catalog. */
const MARK = 12_345
const KEY = 'ab'.repeat(32)

/** What an old folder holds, and how its service ended. */
export interface OldState {
  readonly samples: 'none' | 'unsealed' | 'sealed'
  readonly end: 'stopped' | 'killed'
}

/** Every state that an upgrade must take. */
export const OLD_STATES: readonly OldState[] = (['none', 'unsealed', 'sealed'] as const).flatMap(
  (samples) => (['stopped', 'killed'] as const).map((end) => ({ samples, end })),
)

/** The times of the samples that a folder of a state has. */
export function timesOf({ samples }: OldState): number[] {
  if (samples === 'none') return []
  return samples === 'sealed' ? [1_000, 2_000, 3_000] : [3_000]
}

/** Makes an old folder. */
export async function makeOldFolder(folder: string, state: OldState): Promise<void> {
  const making = state.end === 'stopped' ? folder : `${folder}.running`
  mkdirSync(join(making, 'files', 'incoming'), { recursive: true })
  const store = await openSampleStore({ folder: making })
  const put = (time: number) => store.append(batch([[OLD_STREAM, time, time / 8]]))
  if (state.samples === 'sealed') {
    await put(1_000)
    await put(2_000)
    await store.sealAll()
  }
  if (state.samples !== 'none') await put(3_000)
  await store.close()
  writeSumsOfFormat2(join(making, 'samples.db'))
  for (const name of ['journal', 'files']) writeFileSync(join(making, name, 'mark'), `${MARK}\n`)
  change(making, 'samples.db', `INSERT OR REPLACE INTO meta VALUES ('mark', ${MARK})`)
  change(making, 'catalog.db', `PRAGMA journal_mode = WAL; ${FORMAT_9}`)
  change(making, 'catalog.db', `INSERT INTO meta VALUES ('mark', ${MARK})`)
  writeFileSync(join(making, 'secret.key'), `${KEY}\n`, { mode: 0o600 })
  writeFileSync(join(making, 'lock'), '')
  for (const name of ['progress', 'reserve']) rmSync(join(making, name), { force: true })
  if (state.end === 'killed') copyAsKilled(making, folder)
  chmodSync(folder, 0o700)
}

/** Copies a folder as it is while its databases are open: what was written last lies in their logs. */
function copyAsKilled(from: string, to: string): void {
  using catalog = new DatabaseSync(join(from, 'catalog.db'))
  using samples = new DatabaseSync(join(from, 'samples.db'))
  for (const db of [catalog, samples]) db.exec('UPDATE meta SET value = value')
  cpSync(from, to, { recursive: true })
}

/** Runs SQL on a database of a folder. */
export function change(folder: string, name: string, sql: string): void {
  using db = new DatabaseSync(join(folder, name))
  db.exec(sql)
}

/**
 * The hash of every file of a folder. Without the lock and SQLite's index of the log, which hold no data: a program that
 * reads a database writes the index.
 */
export function fingerprint(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true }) as string[]
  const files = names.filter(
    (name) => !name.endsWith('-shm') && name !== 'lock' && statSync(join(folder, name)).isFile(),
  )
  return Object.fromEntries(
    files.sort().map((name) => {
      const bytes = readFileSync(join(folder, name))
      return [name, createHash('sha256').update(bytes).digest('hex')]
    }),
  )
}
