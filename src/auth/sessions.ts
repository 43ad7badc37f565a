import { type Clock, hashSecret, newSecret, PAGE_BYTES_MAX } from '../base/index.ts'
import type {
  CatalogDocument,
  CatalogStore,
  CatalogWrite,
  DocumentKey,
  PutDocument,
} from '../store/index.ts'
import { RecordCache, uidsOfKind } from './record-cache.ts'

/** A session that nobody used for this long is over. */
const SESSION_IDLE_MS = 86_400_000

/** However much it is used, a session is over this long after its sign-in. */
const SESSION_LIFE_MS = 30 * 86_400_000

/** How far the stored use of a session may lag behind the real one before it is written again. */
const STORED_LAG_MS = 600_000
const CACHED_MAX = 20_000

/** A sign-in that goes on; only the hash of its token is kept. */
interface Session {
  readonly hash: string
  readonly userUid: string
  readonly createdAtMs: number
  /** Where it was opened, and by which program, as far as that said. */
  readonly address: string
  readonly client: string
  usedAtMs: number
  /** The last use as the store has it. */
  storedUseMs: number
  isWriting: boolean
}

/** A session as its user sees it; its UID opens nothing. */
export interface ShownSession {
  readonly uid: string
  readonly createdAtMs: number
  readonly usedAtMs: number
  readonly endsAtMs: number
  readonly address: string
  readonly client: string
  /** Whether it is the one by which it is asked for. */
  readonly isCurrent: boolean
}

const KIND = 'session'
const PAGE = 500
/** What a program says of itself may be as long as a header. */
const CLIENT_LENGTH_MAX = 200

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

  /** Opens a session; its token is returned to the caller and never stored. */
  async open(
    userUid: string,
    from: { readonly address: string; readonly client: string },
  ): Promise<string> {
    const token = newSecret()
    const createdAtMs = this.#clock.now()
    const client = from.client.slice(0, CLIENT_LENGTH_MAX)
    const about = { userUid, createdAtMs, usedAtMs: createdAtMs, address: from.address, client }
    await this.#store.commit([putOf({ hash: hashSecret(token), ...about }, 0)])
    return token
  }

  /** One page of the sessions of a user that are not over; `token` is that of the caller's own. */
  async listOf(
    userUid: string,
    page: { readonly start: number; readonly limit: number },
    token?: string,
  ): Promise<{ sessions: readonly ShownSession[]; totalCount: number }> {
    const nowMs = this.#clock.now()
    const query = { orgUid: '', kind: KIND, listKeyPrefix: userUid, aliveAtMs: nowMs, ...page }
    const { documents, totalCount } = await this.#store.list({
      ...query,
      bytesMax: PAGE_BYTES_MAX,
    })
    const sessions = documents.map((document) => {
      const stored = fromDocument(document)
      return this.#cache.peek(stored.hash) ?? stored
    })
    // One from before sessions had a greatest age may have an end that lies beyond it.
    const open = sessions.filter((session) => endOf(session) > nowMs)
    const own = token === undefined ? undefined : hashSecret(token)
    return { sessions: open.map((session) => shownOf(session, own)), totalCount }
  }

  /** Ends a session of a user by its UID, together with other writes; false: there is none. */
  async endOne(userUid: string, uid: string, also: readonly CatalogWrite[]): Promise<boolean> {
    for (let start = 0; ; start += PAGE) {
      const query = { orgUid: '', kind: KIND, listKeyPrefix: userUid, start, limit: PAGE }
      const { documents } = await this.#store.list(query)
      const found = documents.find((document) => uidOf(document.uid) === uid)
      if (found !== undefined) {
        await this.#delete(found.uid, also)
        return true
      }
      if (documents.length < PAGE) return false
    }
  }

  /** Rises with every change that may end or narrow what a session opens. */
  get generation(): number {
    return this.#cache.generation
  }

  /** Forgets what another process has committed. */
  forgetWritten(keys: readonly DocumentKey[]): void {
    for (const hash of uidsOfKind(keys, KIND)) this.#cache.forget(hash)
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
    await this.#delete(hashSecret(token), also)
  }

  async #delete(hash: string, also: readonly CatalogWrite[]): Promise<void> {
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
          orgUid: '',
          kind: KIND,
          uid,
          expectedRevision: 'any' as const,
        })),
      )
      for (const { uid } of documents) this.#cache.forget(uid)
    }
  }

  /** Writes what use has moved, so that a restart shortens no session. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#writing)
    for (const session of this.#cache.values()) {
      if (session.storedUseMs !== session.usedAtMs) this.#writeUse(session)
    }
    await Promise.allSettled(this.#writing)
  }

  async #load(hash: string): Promise<Session | undefined> {
    const document = await this.#store.get({ orgUid: '', kind: KIND, uid: hash })
    return document === undefined ? undefined : fromDocument(document)
  }

  #use(session: Session): string | undefined {
    const nowMs = this.#clock.now()
    if (endOf(session) <= nowMs) return undefined
    session.usedAtMs = nowMs
    if (session.usedAtMs - session.storedUseMs > STORED_LAG_MS) this.#writeUse(session)
    return session.userUid
  }

  /** Nobody waits for it; the revision keeps a session that was ended meanwhile from coming back. */
  #writeUse(session: Session): void {
    // Two at once would refuse each other, and the later use be lost.
    if (session.isWriting) return
    session.isWriting = true
    const copy = { ...session }
    const write = async () => {
      const before = await this.#store.get({ orgUid: '', kind: KIND, uid: copy.hash })
      // Another process may know of a later use.
      const isLater = before !== undefined && fromDocument(before).usedAtMs < copy.usedAtMs
      if (isLater) await this.#store.commit([putOf(copy, before.revision)])
      session.storedUseMs = copy.usedAtMs
    }
    const ended = () => {
      session.isWriting = false
      this.#writing.delete(writing)
    }
    // What could not be written is tried again at the next use.
    const writing: Promise<void> = write().then(ended, ended)
    this.#writing.add(writing)
  }
}

function endOf({ createdAtMs, usedAtMs }: Pick<Session, 'createdAtMs' | 'usedAtMs'>): number {
  return Math.min(usedAtMs + SESSION_IDLE_MS, createdAtMs + SESSION_LIFE_MS)
}

/** The public UID of a session. It is derived from the hash of the token and does not reveal the token. */
function uidOf(hash: string): string {
  const digits = hashSecret(hash)
  const at = [0, 8, 12, 16, 20, 32]
  return at
    .slice(1)
    .map((end, index) => digits.slice(at[index], end))
    .join('-')
}

function shownOf(session: Session, ownHash: string | undefined): ShownSession {
  const { hash, createdAtMs, usedAtMs, address, client } = session
  const times = { createdAtMs, usedAtMs, endsAtMs: endOf(session) }
  return { uid: uidOf(hash), ...times, address, client, isCurrent: hash === ownHash }
}

function fromDocument({ uid: hash, body, expiresAtMs = 0 }: CatalogDocument): Session {
  // One from before this was kept has an end that lies the idle time after its last use.
  const {
    address = '',
    client = '',
    usedAtMs = expiresAtMs - SESSION_IDLE_MS,
  } = body as Partial<Session>
  const { userUid, createdAtMs } = body as { userUid: string; createdAtMs: number }
  return {
    hash,
    userUid,
    createdAtMs,
    address,
    client,
    usedAtMs,
    storedUseMs: usedAtMs,
    isWriting: false,
  }
}

function putOf(
  session: Omit<Session, 'storedUseMs' | 'isWriting'>,
  expectedRevision: number,
): PutDocument {
  const { hash, userUid, createdAtMs, usedAtMs, address, client } = session
  return {
    op: 'put',
    orgUid: '',
    kind: KIND,
    uid: hash,
    listKey: userUid,
    expiresAtMs: endOf(session),
    body: { userUid, createdAtMs, usedAtMs, address, client },
    // Anyone who signs in may do so to make room.
    mayUseReserve: true,
    expectedRevision,
  }
}
