import { BoundedCache } from '../../base/index.ts'
import type { WrittenKey } from '../../store/index.ts'
import { CONNECTOR_KIND } from '../record/connector-rules.ts'
import type { Connector } from '../record/connector-shape.ts'

/** Connectors in use at a time; a busier service reads the others from the store. */
const KEPT_MAX = 2_000

/**
 * Connectors by the ID in the address of their sink, those in use in memory. It must see every commit
 * (`withCommitListener`): nothing is kept that one has touched. IDs that nobody has take no memory.
 */
export class ConnectorFinder {
  #kept = new BoundedCache<string, Connector>(KEPT_MAX)
  readonly #load: (orgUid: string, id: string) => Promise<Connector | undefined>
  #generation = 0

  constructor(load: (orgUid: string, id: string) => Promise<Connector | undefined>) {
    this.#load = load
  }

  /** The connector when it is in memory. */
  peek(orgUid: string, id: string): Connector | undefined {
    return this.#kept.get(`${orgUid}/${id}`)
  }

  /** The connector, from memory or the store. */
  async find(orgUid: string, id: string): Promise<Connector | undefined> {
    const known = this.peek(orgUid, id)
    if (known !== undefined) return known
    const generation = this.#generation
    const found = await this.#load(orgUid, id)
    const isOfNow = generation === this.#generation
    if (found !== undefined && isOfNow) this.#kept.set(`${orgUid}/${id}`, found)
    return found
  }

  /** Forgets what a commit has written. */
  forgetWritten(writes: readonly WrittenKey[]): void {
    // A put may create thousands of streams in a commit; connectors are saved alone.
    if (!writes.some(({ kind, op }) => kind === CONNECTOR_KIND && op !== 'expect')) return
    this.#generation += 1
    // Which ID a record had before is unknown.
    this.#kept = new BoundedCache(KEPT_MAX)
  }
}
