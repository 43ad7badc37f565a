import { type Clock, hashSecret, newSecret } from '../base/index.ts'
import type { CatalogStore, CatalogWrite, PutDocument } from '../store/index.ts'
import { RecordCache } from './record-cache.ts'

/** A session that nobody used for this long is over. */
export const SESSION_IDLE_MS = 86_400_000

/** How far the stored end of a session may lag behind its use before it is written again. */
const STORED_LAG_MS = 600_000
const CACHED_MAX = 20_000

/** A sign-in that goes on; only the hash of its token is kept. */
interface Session {
  readonly hash: string
  readonly userUid: string
  readonly createdAtMs: number
  endsAtMs: number
  /** The end as the store has it. */
  storedEndMs: number
}

const KIND = 'session'

/** The sessions of signed-in users; using one moves its end. */
export class Sessions {
  readonly #store: CatalogStore
  readonly #clock: Clock
  readonly #cache: RecordCache<Session>
  readonly #writing = new Set<Promise<unknown>>()

  constructor(deps: { readonly store: CatalogStore; readonly clock: Clock }) {
    this.#store = deps.store
    this.#clock = deps.clock
    this.#cache = new RecordCache({ sizeMax: CACHED_MAX, load: (hash) => this.#load(hash) })
  }

  /** Opens a session; its token is told to the caller and nowhere kept. */
  async open(userUid: string): Promise<string> {
    const token = newSecret()
    const createdAtMs = this.#clock.now()
    const endsAtMs = createdAtMs + SESSION_IDLE_MS
    const hash = hashSecret(token)
    await this.#store.commit([putOf({ hash, userUid, createdAtMs, endsAtMs }, 0)])
    return token
  }

  /** The user of a token, when the session is in memory and not over; counts as use. */
  useNow(token: string): string | undefined {
    const session = this.#cache.peek(hashSecret(token))
    return session === undefined ? undefined : this.#use(session)
  }

  /** The user of a token, or undefined: unknown, or over. */
  async use(token: string): Promise<string | undefined> {
    const session = await this.#cache.find(hashSecret(token))
    return session === undefined ? undefined : this.#use(session)
  }

  /** Ends a session, together with other writes; one that is not there is no error. */
  async end(token: string, also: readonly CatalogWrite[] = []): Promise<void> {
    const hash = hashSecret(token)
    this.#cache.forget(hash)
    await this.#store.commit([
      { op: 'delete', orgUid: '', kind: KIND, uid: hash, expectedRevision: 'any' },
      ...also,
    ])
    this.#cache.forget(hash)
  }

  /** Ends every session of a user, as after a change of password. */
  async endAllOf(userUid: string): Promise<void> {
    const query = { orgUid: '', kind: KIND, listKeyPrefix: userUid, start: 0, limit: 1_000 }
    for (;;) {
      const { documents } = await this.#store.list(query)
      if (documents.length === 0) return
      await this.#store.commit(
        documents.map(({ uid }) => ({
          op: 'delete' as const,
          ...{ orgUid: '', kind: KIND, uid, expectedRevision: 'any' as const },
        })),
      )
      for (const { uid } of documents) this.#cache.forget(uid)
    }
  }

  /** Writes what use has moved, so that a restart shortens no session. */
  async close(): Promise<void> {
    for (const session of this.#cache.values()) {
      if (session.storedEndMs !== session.endsAtMs) this.#writeEnd(session)
    }
    await Promise.allSettled(this.#writing)
  }

  async #load(hash: string): Promise<Session | undefined> {
    const document = await this.#store.get({ orgUid: '', kind: KIND, uid: hash })
    if (document === undefined || document.expiresAtMs === undefined) return undefined
    const { userUid, createdAtMs } = document.body as { userUid: string; createdAtMs: number }
    const endsAtMs = document.expiresAtMs
    return { hash, userUid, createdAtMs, endsAtMs, storedEndMs: endsAtMs }
  }

  #use(session: Session): string | undefined {
    const nowMs = this.#clock.now()
    if (session.endsAtMs <= nowMs) return undefined
    session.endsAtMs = nowMs + SESSION_IDLE_MS
    if (session.endsAtMs - session.storedEndMs > STORED_LAG_MS) this.#writeEnd(session)
    return session.userUid
  }

  /** Nobody waits for it; the revision keeps a session that was ended meanwhile from coming back. */
  #writeEnd(session: Session): void {
    session.storedEndMs = session.endsAtMs
    const { hash, userUid, createdAtMs, endsAtMs } = session
    const write = async () => {
      const before = await this.#store.get({ orgUid: '', kind: KIND, uid: hash })
      if (before === undefined) return
      await this.#store.commit([putOf({ hash, userUid, createdAtMs, endsAtMs }, before.revision)])
    }
    const writing = write().catch(() => {})
    this.#writing.add(writing)
    writing.finally(() => this.#writing.delete(writing))
  }
}

function putOf(session: Omit<Session, 'storedEndMs'>, expectedRevision: number): PutDocument {
  const { hash, userUid, createdAtMs, endsAtMs } = session
  return {
    op: 'put',
    orgUid: '',
    kind: KIND,
    uid: hash,
    listKey: userUid,
    expiresAtMs: endsAtMs,
    body: { userUid, createdAtMs },
    // Whoever signs in may do so to make room.
    mayUseReserve: true,
    expectedRevision,
  }
}
