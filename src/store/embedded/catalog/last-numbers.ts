/** The numbers that catalog.db has given to streams and components, none of them twice. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { invariant } from '../../../base/plain.ts'

const HANDLE_END = 2 ** 31

/** The last handle of a stream, and the last number of a component's row. */
interface Last {
  readonly handle: number
  readonly component: number
}

/**
 * Each is kept in two rows, because a number that went down would give the samples of a deleted stream to another. They
 * are written once in a transaction, however much it makes.
 */
export class LastNumbers {
  readonly #select: StatementSync
  readonly #write: StatementSync
  #last: Last | undefined
  #isChanged = false

  constructor(db: DatabaseSync) {
    this.#select = db.prepare('SELECT value FROM meta WHERE name = ?')
    this.#write = db.prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)')
  }

  /** Gives so many handles; the first of them. */
  takeHandles(count: number): number {
    const last = this.#read()
    invariant(last.handle + count < HANDLE_END, 'stream handles are used up')
    this.#note({ ...last, handle: last.handle + count })
    return last.handle + 1
  }

  /** Gives so many numbers of components; the first of them. */
  takeComponents(count: number): number {
    const last = this.#read()
    this.#note({ ...last, component: last.component + count })
    return last.component + 1
  }

  /** Says which handle was given last, where another table knew it. */
  startAfter(handle: number): void {
    this.#note({ ...this.#read(), handle })
  }

  /** What goBack() needs. */
  remember(): Last | undefined {
    return this.#last
  }

  /** Goes back to what was before a step that came to nothing. */
  goBack(last: Last | undefined): void {
    this.#last = last
  }

  /** Forgets what a transaction gave that came to nothing. */
  forget(): void {
    this.#last = undefined
    this.#isChanged = false
  }

  write(): void {
    if (!this.#isChanged) return
    this.#isChanged = false
    const { handle, component } = this.#read()
    for (const name of NAMES.handle) this.#write.run(name, handle)
    for (const name of NAMES.component) this.#write.run(name, component)
  }

  #note(last: Last): void {
    this.#last = last
    this.#isChanged = true
  }

  #read(): Last {
    const kept = (name: string) => Number(this.#select.get(name)?.value ?? 0)
    this.#last ??= {
      handle: kept(NAMES.handle[0]),
      component: kept(NAMES.component[0]),
    }
    return this.#last
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
