import { type LiveFigures, refuse } from '../../base/index.ts'

/** Who opens a live connection, by what is counted. */
interface LiveCounted {
  readonly organization: string
  /** A user or an API key. */
  readonly user: string
  /** The network that the address belongs to. */
  readonly address: string
}

/** A refused client may try again when others have left. */
const RETRY_AFTER_S = 30

const WHOSE = {
  total: 'this service',
  organization: 'an organization',
  user: 'a user or key',
  address: 'an address',
} as const

/** Counts live connections by organization, user and address, and refuses those beyond the figures. */
export class LiveLimits {
  readonly #figures: LiveFigures
  readonly #counts = new Map<string, number>()
  refused = 0

  constructor(figures: LiveFigures) {
    this.#figures = figures
  }

  /** Counts a connection until the answered function is called; refuses one too many. */
  take(by: LiveCounted): () => void {
    const names = [
      ['total', ''],
      ['organization', by.organization],
      ['user', by.user],
      ['address', by.address],
    ] as const
    for (const [kind, name] of names) {
      const max = this.#figures[kind]
      if (this.#count(kind, name) < max) continue
      this.refused += 1
      refuse('too_many_listeners', { max, whose: WHOSE[kind], retryAfterSeconds: RETRY_AFTER_S })
    }
    for (const [kind, name] of names) this.#add(kind, name, 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      for (const [kind, name] of names) this.#add(kind, name, -1)
    }
  }

  #count(kind: string, name: string): number {
    return this.#counts.get(`${kind} ${name}`) ?? 0
  }

  #add(kind: string, name: string, change: number): void {
    const count = this.#count(kind, name) + change
    if (count === 0) this.#counts.delete(`${kind} ${name}`)
    else this.#counts.set(`${kind} ${name}`, count)
  }
}
