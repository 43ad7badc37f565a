/** The numbers that catalog.db has given to streams and components, none of them twice. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { invariant } from '../../../base/plain.ts'
import { COMPANION_BASE } from '../../fields/companion.ts'

/** The last handle of a stream, and the last number of a component's row. */
interface Last {
  readonly handle: number
  readonly component: number
}

/**
 * How many more are kept as given: a transaction that stays below writes a page less. A kill leaves them out, and a stop
 * gives them back.
 */
const AHEAD: Last = { handle: 1_000, component: 100 }

/** Each is kept in two rows, because a number that went down would give the samples of a deleted stream to another. */
export class LastNumbers {
  readonly #select: StatementSync
  readonly #write: StatementSync
  /** What is kept, when it is known. */
  #kept: Last | undefined
  /** What the transactions have given that were committed. */
  #committed: Last | undefined
  #given: Last | undefined

  constructor(db: DatabaseSync) {
    this.#select = db.prepare('SELECT value FROM meta WHERE name = ?')
    this.#write = db.prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)')
  }

  /** Reserves `count` handles; returns the first. */
  takeHandles(count: number): number {
    const last = this.remember()
    invariant(last.handle + count < COMPANION_BASE, 'stream handles are used up')
    this.#given = { ...last, handle: last.handle + count }
    return last.handle + 1
  }

  /** Reserves `count` numbers of components; returns the first. */
  takeComponents(count: number): number {
    const last = this.remember()
    this.#given = { ...last, component: last.component + count }
    return last.component + 1
  }

  /** Says which handle was given last, where another table knew it. */
  startAfter(handle: number): void {
    this.#given = { ...this.remember(), handle }
  }

  /** What goBack() needs. */
  remember(): Last {
    this.#given ??= this.#committed ?? this.#read()
    return this.#given
  }

  /** Goes back to what was before a step that came to nothing. */
  goBack(last: Last): void {
    this.#given = last
  }

  /** Forgets what a transaction gave that came to nothing. */
  forget(): void {
    this.#given = undefined
    this.#kept = undefined
  }

  /** Before a transaction ends: keeps as given what it gave. */
  write(): void {
    const [given, kept] = [this.remember(), this.#read()]
    if (given.handle <= kept.handle && given.component <= kept.component) return
    this.#keep({
      handle: Math.min(given.handle + AHEAD.handle, COMPANION_BASE - 1),
      component: given.component + AHEAD.component,
    })
  }

  /** As write(), and no more than that. */
  writeExactly(): void {
    this.#keep(this.remember())
  }

  /** After a transaction. */
  settle(): void {
    this.#committed = this.#given
  }

  #keep(last: Last): void {
    for (const name of NAMES.handle) this.#write.run(name, last.handle)
    for (const name of NAMES.component) this.#write.run(name, last.component)
    this.#kept = last
  }

  #read(): Last {
    const kept = (name: string) => Number(this.#select.get(name)?.value ?? 0)
    this.#kept ??= {
      handle: kept(NAMES.handle[0]),
      component: kept(NAMES.component[0]),
    }
    return this.#kept
  }
}

const NAMES = {
  handle: ['last_handle', 'last_handle_again'],
  component: ['last_component', 'last_component_again'],
} as const

/** What differs between the two rows of a number; undefined when nothing does. */
export function differingNumbers(db: DatabaseSync): string | undefined {
  const select = db.prepare('SELECT value FROM meta WHERE name = ?')
  for (const [what, [first, second]] of Object.entries(NAMES)) {
    const [one, other] = [first, second].map((name) => select.get(name)?.value ?? 0)
    if (one !== other) return `the last number given to a ${what} is ${one} or ${other}`
  }
  return undefined
}
