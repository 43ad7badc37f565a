import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { CatalogDamaged } from '../../../ports/catalog-port.ts'
import { readChecked } from '../catalog-checks.ts'
import { CatalogSnapshot } from '../catalog-snapshot.ts'
import { CatalogScrubTable } from './catalog-scrub-table.ts'
import { findStructureProblems, tablesToIndex } from './catalog-structure.ts'

type SQLInputValues = readonly SQLInputValue[]

/** Rows read in one step: a few milliseconds. */
const ROWS_PER_STEP = 500

/** Who asks for a scrub of the catalog. */
interface CatalogScrubPass {
  mayGoOn(): Promise<boolean>
  onChecked(items: number, bytes: number): void
  onDamage(what: string): void
  /** Builds the indexes of tables again from their rows. */
  rebuildIndexes(tables: readonly string[]): Promise<void>
}

/** Reads every row of catalog.db back in steps; then, on a thread, holds its indexes against its tables. */
export class CatalogScrub {
  readonly #db: DatabaseSync
  readonly #file: string

  constructor(db: DatabaseSync, file: string) {
    this.#db = db
    this.#file = file
  }

  /** One pass; ends early when the pass says so. */
  async run(pass: CatalogScrubPass): Promise<void> {
    const table = this.#openTable((what) => pass.onDamage(what))
    if (table === undefined) return
    const damaged = new Set<string>()
    for (const name of table.names) {
      const onDamage = (what: string): void => {
        damaged.add(name)
        pass.onDamage(what)
      }
      const counted = { ...pass, onDamage, mayGoOn: () => pass.mayGoOn() }
      if (!(await this.#runTable(table, name, counted))) return
    }
    if (!(await pass.mayGoOn())) return
    await this.#checkIndexes(pass, { damaged, find: () => checkStructure(this.#file) })
  }

  /** All of it in one go, for a start that serves nobody yet. */
  async runAtOnce(pass: Pick<CatalogScrubPass, 'onDamage' | 'rebuildIndexes'>): Promise<void> {
    // First: rows are found by the indexes.
    const find = async () => findStructureProblems(this.#db)
    const found: string[] = []
    const damaged = this.#checkRows((what) => found.push(what))
    if (await this.#checkIndexes(pass, { damaged, find })) this.#checkRows(pass.onDamage)
    else for (const what of found) pass.onDamage(what)
  }

  /** Reports damage in any row, and the tables with such rows. */
  #checkRows(onDamage: (what: string) => void): Set<string> {
    const damaged = new Set<string>()
    const note = (name: string, what: string): void => {
      damaged.add(name)
      onDamage(what)
    }
    const table = this.#openTable((what) => note('sqlite_schema', what))
    for (const name of table?.names ?? []) {
      const pass = { onDamage: (what: string) => note(name, what) }
      let after: SQLInputValues | undefined
      do after = table && checkStep(table, { name, after }, pass)
      while (after !== undefined)
    }
    return damaged
  }

  /** Undefined where the schema, which is reloaded after writes, cannot be read. */
  #openTable(onDamage: (what: string) => void): CatalogScrubTable | undefined {
    try {
      return readChecked('the schema', () => new CatalogScrubTable(this.#db))
    } catch (error) {
      if (!(error instanceof CatalogDamaged)) throw error
      onDamage(error.what)
      return undefined
    }
  }

  /** Where indexes do not fit their tables, which are whole, they are built again from them; whether that was done. */
  async #checkIndexes(
    pass: Pick<CatalogScrubPass, 'onDamage' | 'rebuildIndexes'>,
    at: { readonly damaged: ReadonlySet<string>; find(): Promise<string[]> },
  ): Promise<boolean> {
    const problems = await at.find()
    if (problems.length === 0) return false
    try {
      const tables = tablesToIndex(this.#db, problems, at.damaged)
      if (tables.length === 0) {
        for (const what of problems) pass.onDamage(what)
        return false
      }
      await pass.rebuildIndexes(tables)
      pass.onDamage(`indexes did not fit their tables and were built again (${problems[0]})`)
    } catch (error) {
      pass.onDamage(`indexes cannot be built again: ${(error as Error).message}`)
    }
    for (const what of await at.find()) pass.onDamage(what)
    return true
  }

  async #runTable(
    table: CatalogScrubTable,
    name: string,
    pass: CatalogScrubPass,
  ): Promise<boolean> {
    const snapshot = new CatalogSnapshot(this.#db)
    let after: SQLInputValues | undefined
    do {
      if (!(await pass.mayGoOn())) return false
      // A store that is closed while a pass waits for its turn ends the pass.
      if (!this.#db.isOpen) return false
      const at = { name, after }
      after = snapshot.read(() => checkStep(table, at, pass))
    } while (after !== undefined)
    return true
  }
}

/** Checks some rows; returns where to go on, undefined at the end or where the table cannot be read. */
function checkStep(
  table: CatalogScrubTable,
  { name, after }: { name: string; after: SQLInputValues | undefined },
  pass: Pick<CatalogScrubPass, 'onDamage'> & Partial<Pick<CatalogScrubPass, 'onChecked'>>,
): SQLInputValues | undefined {
  try {
    const page = readChecked(`table ${name}`, () => table.checkPage(name, after, ROWS_PER_STEP))
    pass.onChecked?.(page.count, page.bytes())
    for (const what of page.damages) pass.onDamage(what)
    return page.next
  } catch (error) {
    if (!(error instanceof CatalogDamaged)) throw error
    pass.onDamage(error.what)
    return undefined
  }
}

/** What SQLite's own check finds: rows that an index misses or has in the wrong place, broken pages. */
async function checkStructure(file: string): Promise<string[]> {
  const worker = new Worker(new URL('./catalog-structure-thread.ts', import.meta.url), {
    workerData: { file },
    name: 'weir-catalog-scrub',
  })
  const { promise, resolve, reject } = Promise.withResolvers<string[]>()
  worker.once('message', resolve)
  worker.once('error', reject)
  worker.once('exit', () => resolve([]))
  return await promise
}
