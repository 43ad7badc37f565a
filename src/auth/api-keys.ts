import {
  Capabilities,
  type CapabilityEntry,
  findIpMistake,
  findResourceMistake,
  IpList,
  keyPrincipal,
  type Principal,
  requirePermit,
} from '../access/index.ts'
import { BoundedCache, type Clock, hashSecret, newSecret, newUid, refuse } from '../base/index.ts'
import { type AddressRule, checkAddressRule, listPermitted } from '../catalog/index.ts'
import {
  type CatalogDocument,
  type CatalogStore,
  type CatalogWrite,
  commitDocuments,
  type DocumentKey,
  type JsonObject,
} from '../store/index.ts'
import { RecordCache, uidsOfKind } from './record-cache.ts'
import type { SecretBox } from './secret-box.ts'

/** What people may change of a key. */
export interface ApiKeyFields {
  readonly name: string
  readonly description: string
  /** Without an entry the key is disabled. */
  readonly capabilities: readonly CapabilityEntry[]
  /** Addresses and CIDR ranges it may be used from; everywhere when empty. */
  readonly ipAddresses: readonly string[]
  /** Where new series of its points are made; absent or null: as the organization says. */
  readonly addressRule?: AddressRule | null
}

/** A key's record; the secret itself is only in `sealedSecret`. */
export interface ApiKey extends ApiKeyFields {
  readonly orgUid: string
  readonly uid: string
  readonly revision: number
  readonly sealedSecret: string
  readonly secretHash: string
  readonly createdAtMs: number
}

/** A key ready to decide about calls. */
export interface ReadyKey {
  readonly principal: Principal
  readonly ips: IpList
  readonly isDisabled: boolean
}

const KIND = 'api_key'
/** Finds a key by the hash of its secret, whichever organization it belongs to. */
const SECRET_KIND = 'api_key_secret'
const CACHED_MAX = 50_000
/** Entries of each list of a key, which every call with the key reads, and the characters of its name. */
export const KEY_BOUNDS = { entries: 200, name: 200 } as const

/** A key for the devices of a new organization. */
export const FEED_KEY_FIELDS: ApiKeyFields = {
  name: 'Feed key',
  description: 'Stores and reads samples and properties, and calls connector sinks.',
  capabilities: [
    { resource: 'component/*/feed', methods: ['GET', 'PUT'] },
    { resource: 'component/*/property', methods: ['GET', 'POST'] },
    { resource: 'conn_sink', methods: ['GET', 'PUT', 'POST', 'DELETE'] },
  ],
  ipAddresses: [],
}

/** The API keys of all organizations. */
export class ApiKeys {
  readonly #store: CatalogStore
  readonly #clock: Clock
  readonly #box: SecretBox
  readonly #ready: RecordCache<ReadyKey>
  /** Devices send the same secret with every call, and hashing it is half of recognising it. */
  readonly #hashes = new BoundedCache<string, string>(CACHED_MAX)

  constructor(deps: {
    readonly store: CatalogStore
    readonly clock: Clock
    readonly box: SecretBox
  }) {
    this.#store = deps.store
    this.#clock = deps.clock
    this.#box = deps.box
    this.#ready = new RecordCache({ sizeMax: CACHED_MAX, load: (hash) => this.#loadReady(hash) })
  }

  /** Rises with every change that may end or narrow what a key gives. */
  get generation(): number {
    return this.#ready.generation
  }

  /** The key of a secret when it is in memory. */
  peekReady(secret: string): ReadyKey | undefined {
    const hash = this.#hashes.get(secret)
    return hash === undefined ? undefined : this.#ready.peek(hash)
  }

  /** The key of a secret, from memory or the store. */
  async findReady(secret: string): Promise<ReadyKey | undefined> {
    const hash = hashSecret(secret)
    const ready = await this.#ready.find(hash)
    if (ready === undefined) return undefined
    // Only secrets of real keys are kept, so that guesses take no memory.
    this.#hashes.set(secret, hash)
    return ready
  }

  /** Forgets what another process has committed. */
  async forgetWritten(keys: readonly DocumentKey[]): Promise<void> {
    // A key that is taken away goes with what finds it.
    for (const hash of uidsOfKind(keys, SECRET_KIND)) this.#ready.forget(hash)
    for (const { orgUid, kind, uid } of keys) {
      const key = kind === KIND ? await this.find(orgUid, uid) : undefined
      if (key !== undefined) this.#ready.forget(key.secretHash)
    }
  }

  async find(orgUid: string, uid: string): Promise<ApiKey | undefined> {
    const document = await this.#store.get({ orgUid, kind: KIND, uid })
    return document === undefined ? undefined : fromDocument(document)
  }

  /** One page of an organization's keys, by name. */
  async list(
    orgUid: string,
    page: { readonly start: number; readonly limit: number },
  ): Promise<{ keys: readonly ApiKey[]; totalCount: number }> {
    const { documents, totalCount } = await this.#store.list({ orgUid, kind: KIND, ...page })
    return { keys: documents.map(fromDocument), totalCount }
  }

  /** As `list` of the caller's organization, with only those that the caller may GET. */
  async listFor(
    principal: Principal,
    page: { readonly start: number; readonly limit: number },
  ): Promise<{ keys: readonly ApiKey[]; totalCount: number }> {
    const query = { orgUid: principal.orgUid, kind: KIND, ...page }
    const { documents, totalCount } = await listPermitted(this.#store, principal, query)
    return { keys: documents.map(fromDocument), totalCount }
  }

  /** The names of the keys by which refused points came, by UID; refuses who may not see these points. */
  async nameRefused(
    principal: Principal,
    points: readonly { readonly keyUid: string }[],
  ): Promise<ReadonlyMap<string, string>> {
    requirePermit(principal, 'door', 'GET')
    const names = new Map<string, string>()
    for (const uid of new Set(points.map(({ keyUid }) => keyUid))) {
      const key = uid === '' ? undefined : await this.find(principal.orgUid, uid)
      if (key !== undefined) names.set(uid, key.name)
    }
    return names
  }

  /** The writes that create a key with a secret, for a commit of the caller. */
  planInsert(
    orgUid: string,
    fields: ApiKeyFields,
    { uid = newUid(), secret }: { readonly uid?: string; readonly secret: string },
  ): CatalogWrite[] {
    checkKeyFields(fields)
    const sealedSecret = this.#box.seal(secret, `${KIND} ${uid}`)
    const key = { orgUid, uid, revision: 0, sealedSecret, secretHash: hashSecret(secret) }
    const createdAtMs = this.#clock.now()
    return [
      putOf({ ...fields, ...key, createdAtMs }),
      {
        op: 'put',
        orgUid: '',
        kind: SECRET_KIND,
        uid: key.secretHash,
        body: { orgUid, keyUid: uid },
        expectedRevision: 0,
      },
    ]
  }

  /** Creates a key, together with other writes; answers it with its secret. */
  async insert(
    orgUid: string,
    fields: ApiKeyFields,
    options?: { readonly uid?: string; readonly also?: readonly CatalogWrite[] },
  ): Promise<{ key: ApiKey; secret: string }> {
    const secret = newSecret()
    const writes = this.planInsert(orgUid, fields, { uid: options?.uid, secret })
    const [document] = await commitDocuments(this.#store, [...writes, ...(options?.also ?? [])])
    return { key: fromDocument(document), secret }
  }

  /** Changes a key, together with other writes. */
  async update(
    key: ApiKey,
    changes: Partial<ApiKeyFields>,
    also: readonly CatalogWrite[] = [],
  ): Promise<ApiKey> {
    const changed = { ...key, ...changes }
    checkKeyFields(changed)
    try {
      const [document] = await commitDocuments(this.#store, [putOf(changed), ...also])
      return fromDocument(document)
    } finally {
      this.#ready.forget(key.secretHash)
    }
  }

  /** Takes a key away, together with other writes; calls with it are refused from here on. */
  async delete(key: ApiKey, also: readonly CatalogWrite[] = []): Promise<void> {
    const { orgUid, uid, secretHash } = key
    try {
      await this.#store.commit([
        { op: 'delete', orgUid, kind: KIND, uid, expectedRevision: 'any' },
        { op: 'delete', orgUid: '', kind: SECRET_KIND, uid: secretHash, expectedRevision: 'any' },
        ...also,
      ])
    } finally {
      this.#ready.forget(secretHash)
    }
  }

  /** The secret in the clear, for the act "View Secret Key". */
  reveal(key: ApiKey): string {
    try {
      return this.#box.open(key.sealedSecret, `${KIND} ${key.uid}`)
    } catch {
      refuse('conflict', {
        what: 'This secret was encrypted with another secret.key. Restore that file, or create a new key',
      })
    }
  }

  async #loadReady(secretHash: string): Promise<ReadyKey | undefined> {
    const pointer = await this.#store.get({ orgUid: '', kind: SECRET_KIND, uid: secretHash })
    if (pointer === undefined) return undefined
    const { orgUid, keyUid } = pointer.body as { orgUid: string; keyUid: string }
    const key = await this.find(orgUid, keyUid)
    if (key === undefined) return undefined
    const capabilities = new Capabilities(key.capabilities)
    const ips = new IpList(key.ipAddresses)
    return {
      principal: keyPrincipal({ orgUid, keyUid, capabilities, ips }),
      ips,
      isDisabled: key.capabilities.length === 0,
    }
  }
}

function putOf(key: ApiKey): CatalogWrite {
  const { orgUid, uid, revision, capabilities, addressRule, ...rest } = key
  const rule: JsonObject = addressRule
    ? { addressRule: { ...addressRule, uses: [...addressRule.uses] } }
    : {}
  const entries = capabilities.map(({ resource, methods }) => ({ resource, methods: [...methods] }))
  return {
    op: 'put',
    orgUid,
    kind: KIND,
    uid,
    listKey: key.name,
    body: { ...rest, ...rule, capabilities: entries },
    expectedRevision: revision,
  }
}

function fromDocument(document: CatalogDocument): ApiKey {
  const { orgUid, uid, revision } = document
  return { orgUid, uid, revision, ...(document.body as unknown as ApiKeyFields & KeyRest) }
}

type KeyRest = Pick<ApiKey, 'sealedSecret' | 'secretHash' | 'createdAtMs'>

/** Refuses a key with mistakes, naming the field. */
export function checkKeyFields(fields: ApiKeyFields): void {
  if (fields.addressRule) checkAddressRule('api_key.addressRule', fields.addressRule)
  const mistake = findFieldMistake(fields)
  if (mistake === undefined) return
  const [field, what] = mistake
  refuse('bad_input', { what: `${field} ${what}`, field })
}

function findFieldMistake(
  fields: ApiKeyFields,
): readonly [field: string, what: string] | undefined {
  const { name, description, capabilities, ipAddresses } = fields
  if (name.trim() === '' || name.length > KEY_BOUNDS.name) {
    return ['api_key.name', 'must have 1 to 200 characters']
  }
  if (description.length > 2_000)
    return ['api_key.description', 'must have at most 2000 characters']
  if (capabilities.length > KEY_BOUNDS.entries || ipAddresses.length > KEY_BOUNDS.entries) {
    return [
      'api_key',
      `must have at most ${KEY_BOUNDS.entries} capabilities and ${KEY_BOUNDS.entries} IP addresses`,
    ]
  }
  for (const [at, { resource }] of capabilities.entries()) {
    const mistake = findResourceMistake(resource)
    if (mistake !== undefined) return [`api_key.capabilities[${at}].resource`, mistake]
  }
  for (const [at, item] of ipAddresses.entries()) {
    const mistake = findIpMistake(item)
    if (mistake !== undefined) return [`api_key.ipAddresses[${at}]`, mistake]
  }
  return undefined
}
