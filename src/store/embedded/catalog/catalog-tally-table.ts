/** The statements with which the writer keeps the counts of documents. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { checkOfTally } from './catalog-checks.ts'
import {
  addTallies,
  NOTHING,
  TALLY,
  type Tally,
  type TallyCounter,
  tallyOf,
} from './catalog-tally.ts'

/** Organizations whose counts are remembered from one transaction to the next: the thread is the only one that changes them. */
const KNOWN_MAX = 1_000

/** Counts by kind in each scope. */
class Counts {
  readonly #scopes = new Map<number, Map<string, Tally>>()

  get(scope: number, kind: string): Tally {
    return this.#scopes.get(scope)?.get(kind) ?? NOTHING
  }

  add(scope: number, kind: string, delta: Tally): void {
    const kinds = this.#scopes.getOrInsertComputed(scope, () => new Map())
    kinds.set(kind, addTallies(kinds.get(kind) ?? NOTHING, delta))
  }

  clear(): void {
    this.#scopes.clear()
  }

  each(use: (scope: number, kind: string, tally: Tally) => void): void {
    for (const [scope, kinds] of this.#scopes) {
      for (const [kind, tally] of kinds) use(scope, kind, tally)
    }
  }
}

/** Counts are written once per transaction: many calls share one, and each may make thousands of documents of a kind. */
export class CatalogTallies {
  readonly #select: StatementSync
  readonly #set: StatementSync
  readonly #counter: TallyCounter
  /** By how much the step has changed counts. */
  readonly #step = new Counts()
  /** By how much the steps before it in the transaction have, which is not written yet. */
  readonly #made = new Counts()
  /** Counts as kept before the transaction, as far as they are known; undefined when they do not check. */
  readonly #known = new Map<number, Map<string, Tally | undefined>>()

  constructor(db: DatabaseSync, counter: TallyCounter) {
    this.#select = db.prepare(TALLY)
    this.#set = db.prepare(`INSERT OR REPLACE INTO tally
      (scope, kind, documents, bytes, crc) VALUES (?, ?, ?, ?, ?)`)
    this.#counter = counter
  }

  add(scope: number, kind: string, delta: Tally): void {
    this.#step.add(scope, kind, delta)
  }

  /** By how much the step has changed what an organization has of a kind. */
  changeOf(scope: number, kind: string): Tally {
    return this.#step.get(scope, kind)
  }

  /** What an organization has of a kind at this point of the step. */
  usageOf(scope: number, kind: string): Tally {
    const stored = this.#stored(scope, kind)
    if (stored === undefined) return this.#counter.count(scope, kind)
    return addTallies(addTallies(stored, this.#made.get(scope, kind)), this.#step.get(scope, kind))
  }

  /** Says that the step stands. */
  settleStep(): void {
    this.#step.each((scope, kind, change) => this.#made.add(scope, kind, change))
    this.#step.clear()
  }

  /** Drops what a step has changed that came to nothing. */
  forgetStep(): void {
    this.#step.clear()
  }

  /** Writes what the transaction has changed, at its end. */
  write(): void {
    if (this.#known.size > KNOWN_MAX) this.#known.clear()
    this.#made.each((scope, kind, change) => this.#write(scope, kind, change))
    this.#step.clear()
    this.#made.clear()
  }

  /** Drops what a transaction has changed that came to nothing. */
  forget(): void {
    this.#step.clear()
    this.#made.clear()
    this.#known.clear()
  }

  /** The counts as kept, undefined when they do not check. */
  #stored(scope: number, kind: string): Tally | undefined {
    const known = this.#known.get(scope)
    if (known?.has(kind)) return known.get(kind)
    const stored = this.#select.get(scope, kind)
    const tally = tallyOf(stored)
    const isWhole = stored === undefined || checkOfTally({ scope, kind, ...tally }) === stored.crc
    return this.#know(scope, kind, isWhole ? tally : undefined)
  }

  #know(scope: number, kind: string, tally: Tally | undefined): Tally | undefined {
    const known = this.#known.get(scope) ?? new Map<string, Tally | undefined>()
    this.#known.set(scope, known.set(kind, tally))
    return tally
  }

  #write(scope: number, kind: string, delta: Tally): void {
    const before = this.#stored(scope, kind)
    // A count that does not check is taken from what is there, with the change made already.
    const after =
      before === undefined ? this.#counter.count(scope, kind) : addTallies(before, delta)
    const { documents, bytes } = after
    const crc = checkOfTally({ scope, kind, ...after })
    this.#set.run(scope, kind, documents, bytes, crc)
    this.#know(scope, kind, after)
  }
}
