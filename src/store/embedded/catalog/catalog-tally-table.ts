/** The statements with which the writer keeps the counts of documents. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { checkOfTally } from './catalog-checks.ts'
import { addTallies, COUNTED, NOTHING, TALLY, type Tally, tallyOf } from './catalog-tally.ts'
import type { FamilyWriteTable } from './family/family-write-table.ts'

/** By how much counts of a kind in an organization change. */
interface TallyChange extends Tally {
  readonly scope: number
  readonly kind: string
}

/** Counts are written once per step: a commit may make thousands of documents of a kind. */
export class CatalogTallies {
  readonly #select: StatementSync
  readonly #set: StatementSync
  readonly #count: StatementSync
  readonly #families: FamilyWriteTable
  /** Counts that the step has changed and not written yet, by kind in each scope. */
  readonly #changes = new Map<number, Map<string, TallyChange>>()

  constructor(db: DatabaseSync, families: FamilyWriteTable) {
    this.#select = db.prepare(TALLY)
    this.#set = db.prepare(`INSERT OR REPLACE INTO tally
      (scope, kind, documents, entries, bytes, crc) VALUES (?, ?, ?, ?, ?, ?)`)
    this.#count = db.prepare(COUNTED)
    this.#families = families
  }

  add(scope: number, kind: string, delta: Tally): void {
    const kinds = this.#changes.get(scope) ?? new Map<string, TallyChange>()
    this.#changes.set(scope, kinds)
    kinds.set(kind, { scope, kind, ...addTallies(kinds.get(kind) ?? NOTHING, delta) })
  }

  /** By how much the step has changed what an organization has of a kind. */
  changeOf(scope: number, kind: string): Tally {
    return this.#changes.get(scope)?.get(kind) ?? NOTHING
  }

  /** What an organization has of a kind at this point of the step. */
  usageOf(scope: number, kind: string): Tally {
    const stored = this.#stored(scope, kind)
    if (stored === undefined) return this.#counted(scope, kind)
    return addTallies(stored, this.changeOf(scope, kind))
  }

  /** Writes what the step has changed. */
  write(): void {
    for (const kinds of this.#changes.values()) {
      for (const change of kinds.values()) this.#write(change)
    }
    this.#changes.clear()
  }

  /** Drops what a step has changed that came to nothing. */
  forget(): void {
    this.#changes.clear()
  }

  /** The counts as kept, undefined when they do not check. */
  #stored(scope: number, kind: string): Tally | undefined {
    const stored = this.#select.get(scope, kind)
    const tally = tallyOf(stored)
    const isWhole = stored === undefined || checkOfTally({ scope, kind, ...tally }) === stored.crc
    return isWhole ? tally : undefined
  }

  #counted(scope: number, kind: string): Tally {
    const rows = tallyOf(this.#count.get(scope, kind))
    return addTallies(rows, this.#families.count(scope, kind))
  }

  #write({ scope, kind, ...delta }: TallyChange): void {
    const before = this.#stored(scope, kind)
    // A count that does not check is taken from what is there, with the change made already.
    const after = before === undefined ? this.#counted(scope, kind) : addTallies(before, delta)
    const { documents, entries, bytes } = after
    const crc = checkOfTally({ scope, kind, ...after })
    this.#set.run(scope, kind, documents, entries, bytes, crc)
  }
}
