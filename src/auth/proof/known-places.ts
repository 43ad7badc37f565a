import { createHash } from 'node:crypto'
import type { Clock } from '../../base/index.ts'
import type { CatalogStore } from '../../store/index.ts'

/** When a place was used last; a digest, as where somebody was need not be readable here. */
type Place = { readonly hash: string; readonly atMs: number }

const KIND = 'known_places'
/** Homes, offices, telephones; the one that was used longest ago goes. */
const PLACES_MAX = 10
const KEPT_MS = 180 * 86_400_000
/** A place that was seen within a day is not written again. */
const WRITTEN_AGAIN_MS = 86_400_000

/** Networks from which users have signed in: unknown clients in other networks cannot lock these users out. */
export class KnownPlaces {
  readonly #store: CatalogStore
  readonly #clock: Clock
  readonly #writing = new Set<Promise<unknown>>()

  constructor(deps: { readonly store: CatalogStore; readonly clock: Clock }) {
    this.#store = deps.store
    this.#clock = deps.clock
  }

  /** Whether a user has signed in from a network; for one who does not exist, false after the same work. */
  async has(userUid: string, network: string): Promise<boolean> {
    const { places } = await this.#read(userUid)
    return places.some(({ hash }) => hash === hashOf(userUid, network))
  }

  /** Keeps a network from which a user has signed in; nobody waits for it, and losing it only costs comfort. */
  remember(userUid: string, network: string): void {
    const writing = this.#write(userUid, network).catch(() => {})
    this.#writing.add(writing)
    writing.finally(() => this.#writing.delete(writing))
  }

  /** Forgets all places of a user, as after a change of password or when the user goes. */
  async forget(userUid: string): Promise<void> {
    await this.close()
    await this.#store.commit([
      { op: 'delete', orgUid: '', kind: KIND, uid: userUid, expectedRevision: 'any' },
    ])
  }

  /** Waits for what is still being written. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#writing)
  }

  async #write(userUid: string, network: string): Promise<void> {
    const nowMs = this.#clock.now()
    const { places, revision } = await this.#read(userUid)
    const hash = hashOf(userUid, network)
    const before = places.find((place) => place.hash === hash)
    if (before !== undefined && nowMs - before.atMs < WRITTEN_AGAIN_MS) return
    const others = places.filter((place) => place.hash !== hash)
    const kept = [{ hash, atMs: nowMs }, ...others].slice(0, PLACES_MAX)
    await this.#store.commit([
      {
        op: 'put',
        orgUid: '',
        kind: KIND,
        uid: userUid,
        expectedRevision: revision,
        expiresAtMs: nowMs + KEPT_MS,
        body: { places: kept },
        mayUseReserve: true,
      },
    ])
  }

  async #read(userUid: string): Promise<{ places: readonly Place[]; revision: number }> {
    const document = await this.#store.get({ orgUid: '', kind: KIND, uid: userUid })
    const { places = [] } = (document?.body ?? {}) as { places?: readonly Place[] }
    return { places, revision: document?.revision ?? 0 }
  }
}

function hashOf(userUid: string, network: string): string {
  return createHash('sha256').update(`${userUid} ${network}`).digest('base64url')
}
