import { KeyedMutex } from '../../base/index.ts'

/** Each load holds a connection to the store. Calls need the others. */
const LOADS_AT_ONCE = 3

/** How an organization gets into the index and out of it. */
interface LoadDeps {
  /** Whether organizations are loaded when they are first used, instead of all at startup. */
  readonly isLazy: boolean
  /** Reads an organization into the index; returns the cursor of the change log at which it was read. */
  readonly scan: (orgUid: string) => Promise<number>
  /** Calls follow(), and applies the changes of an organization after a cursor. */
  readonly follow: (orgUid: string, cursor: number) => Promise<void>
  /** Removes an organization from the index. */
  readonly forget: (orgUid: string) => void
}

/** Which organizations are in the index of this process. */
export class LoadedOrganizations {
  readonly isLazy: boolean
  readonly #deps: LoadDeps
  readonly #loaded = new Set<string>()
  /** Organizations whose changes are applied to the index: the loaded ones, and those that are caught up. */
  readonly #followed = new Set<string>()
  readonly #loading = new Map<string, Promise<void>>()
  readonly #lanes = new KeyedMutex<number>()
  #loads = 0

  constructor(deps: LoadDeps) {
    this.isLazy = deps.isLazy
    this.#deps = deps
  }

  /** Whether the index follows the commits of an organization. */
  isFollowed(orgUid: string): boolean {
    return !this.isLazy || this.#followed.has(orgUid)
  }

  /** From here on the index follows the commits of an organization. */
  follow(orgUid: string): void {
    this.#followed.add(orgUid)
  }

  /** Loads an organization; undefined if it is loaded. Concurrent calls share one load. */
  ensure(orgUid: string): Promise<void> | undefined {
    if (!this.isLazy || this.#loaded.has(orgUid)) return undefined
    const known = this.#loading.get(orgUid)
    if (known !== undefined) return known
    const lane = this.#loads++ % LOADS_AT_ONCE
    const loading = this.#lanes
      .run([lane], () => this.#load(orgUid))
      .finally(() => this.#loading.delete(orgUid))
    this.#loading.set(orgUid, loading)
    return loading
  }

  async #load(orgUid: string): Promise<void> {
    const { scan, follow, forget } = this.#deps
    try {
      const cursor = await scan(orgUid)
      await follow(orgUid, cursor)
      this.#loaded.add(orgUid)
    } catch (error) {
      this.#followed.delete(orgUid)
      forget(orgUid)
      throw error
    }
  }
}
