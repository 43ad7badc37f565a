import { hashSecret } from '../../base/index.ts'
import type { WrittenKey } from '../../store/index.ts'
import { RecordCache } from '../record-cache.ts'
import { type Bearer, toBearer } from './bearer.ts'
import { CLIENT_KIND, findClient, type Registration } from './client-record.ts'
import { GRANT_KIND, loadGrant, type StoredGrant } from './grant-record.ts'
import type { OAuthBase } from './oauth-base.ts'
import { ACCESS_KIND, type AccessToken, loadAccessToken } from './token-record.ts'

/** Tokens in use at a time; a busier service reads the others from the store. */
const TOKENS_CACHED_MAX = 20_000
const CLIENTS_CACHED_MAX = 1_000

/** Open clients have no registration, and that is remembered too. */
interface KnownClient {
  readonly registration: Registration | undefined
}

/**
 * Access tokens in use, in memory. Nothing is kept that a commit has touched: it must see every
 * commit (`withCommitListener`), so that a token that was taken back is refused from that moment on. Ends are
 * looked at with each call. Tokens nobody knows take no memory.
 */
export class BearerCache {
  readonly #base: OAuthBase
  readonly #tokens: RecordCache<AccessToken>
  readonly #grants: RecordCache<StoredGrant>
  readonly #clients: RecordCache<KnownClient>

  constructor(base: OAuthBase) {
    this.#base = base
    this.#tokens = new RecordCache({
      sizeMax: TOKENS_CACHED_MAX,
      load: (hash) => loadAccessToken(base, hash),
    })
    this.#grants = new RecordCache({
      sizeMax: TOKENS_CACHED_MAX,
      load: (uid) => loadGrant(base, uid),
    })
    this.#clients = new RecordCache({
      sizeMax: CLIENTS_CACHED_MAX,
      load: async (clientId) => slim(await findClient(base, clientId)),
    })
  }

  /** Rises with every change that may end or narrow what a token opens. */
  get generation(): number {
    return this.#tokens.generation + this.#grants.generation + this.#clients.generation
  }

  /** The living token of a text when all about it is in memory. */
  peek(text: string): Bearer | undefined {
    const token = this.#tokens.peek(hashSecret(text))
    const stored = token === undefined ? undefined : this.#grants.peek(token.grantUid)
    const client = stored === undefined ? undefined : this.#clients.peek(stored.grant.clientId)
    if (token === undefined || stored === undefined || client === undefined) return undefined
    return toBearer(this.#base, { token, stored, registration: client.registration })
  }

  /** The living token of a text, from memory or the store. */
  async find(text: string): Promise<Bearer | undefined> {
    const token = await this.#tokens.find(hashSecret(text))
    const stored = token === undefined ? undefined : await this.#grants.find(token.grantUid)
    if (token === undefined || stored === undefined) return undefined
    const client = await this.#clients.find(stored.grant.clientId)
    return toBearer(this.#base, { token, stored, registration: client?.registration })
  }

  /** Forgets what a commit has written. */
  forgetWritten(writes: readonly WrittenKey[]): void {
    for (const { kind, uid } of writes) {
      if (kind === ACCESS_KIND) this.#tokens.forget(uid)
      else if (kind === GRANT_KIND) this.#grants.forget(uid)
      else if (kind === CLIENT_KIND) this.#clients.forget(uid)
    }
  }
}

/** What a call needs to know of a client: its logo alone may have 64 KiB. */
function slim(registration: Registration | undefined): KnownClient {
  if (registration === undefined) return { registration }
  const { orgUid, isDeleted } = registration
  return { registration: { orgUid, isDeleted } }
}
