import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { Call } from '../../support/caller.ts'
import type { Random } from '../../support/random.ts'

/** What is shown of something: keys and values in the order of the keys. */
export type Shown = ReadonlyMap<string, unknown>

/** Who calls: the owner's session and the address of the service, another after each start. */
export interface Caller {
  readonly url: string
  readonly owner: Call
}

/** One call and what must be shown once it is acknowledged. */
export interface Act {
  readonly send: () => Promise<number>
  readonly after: Shown
}

function sorted(shown: Shown): Shown {
  return new Map([...shown].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * Things that one caller changes, one call after the other: after a kill they are as acknowledged, or
 * as the one call that was not answered would have them.
 */
export abstract class ServiceWorkload {
  protected readonly random: Random
  protected shown: Shown = new Map()
  #pending: Shown | undefined
  acknowledged = 0

  constructor(random: Random) {
    this.random = random
  }

  /** The next call; whatever it remembers beside `shown` must hold whether or not it is kept. */
  protected abstract choose(caller: Caller): Act | Promise<Act>
  protected abstract observe(caller: Caller): Promise<Shown>

  /** Makes calls until one is not answered or `isEnough`. */
  async work(caller: Caller, isEnough: () => boolean): Promise<void> {
    while (!isEnough()) {
      const { send, after } = await this.choose(caller)
      this.#pending = after
      assert.equal(await send(), 200)
      this.shown = after
      this.#pending = undefined
      this.acknowledged += 1
    }
  }

  async check(caller: Caller): Promise<void> {
    const found = sorted(await this.observe(caller))
    const [sure, maybe] = [sorted(this.shown), this.#pending && sorted(this.#pending)]
    this.#pending = undefined
    if (maybe !== undefined && isDeepStrictEqual(found, maybe)) this.shown = maybe
    else assert.deepEqual(found, sure)
  }
}

const BASE = 1_700_000_000_000
const TIMES = 300
const RANGE = `sd=${BASE - 1}&ed=${BASE + 1e9}`

async function samplesOf(
  caller: Caller,
  path: string,
): Promise<Array<{ time: number; data: unknown }>> {
  const { status, body, text } = await caller.owner('GET', `${path}/feed?${RANGE}`)
  if (status === 404) return []
  assert.equal(status, 200, text)
  return body
}

/** Puts and deletes of samples. */
export class SampleWorkload extends ServiceWorkload {
  readonly #comp: string

  constructor(random: Random, comp: string) {
    super(random)
    this.#comp = comp
  }

  get #path(): string {
    return `/api/comp/${this.#comp}/stream/s`
  }

  protected choose({ owner }: Caller): Act {
    const { random } = this
    if (this.shown.size > 0 && random.next() < 0.25) {
      const from = BASE + random.integer(0, TIMES)
      const until = from + random.integer(1, 60)
      const isKept = ([time]: [string, unknown]) => Number(time) < from || Number(time) >= until
      const send = async () =>
        (await owner('DELETE', `${this.#path}/feed?sd=${from}&ed=${until}`)).status
      return { send, after: new Map([...this.shown].filter(isKept)) }
    }
    const rows = Array.from({ length: random.integer(1, 40) }, () => ({
      compId: this.#comp,
      streamId: 's',
      time: BASE + random.integer(0, TIMES),
      data: random.integer(0, 1e6) / 100,
    }))
    const after = new Map(this.shown)
    for (const { time, data } of rows) after.set(String(time), data)
    return { send: async () => (await owner('PUT', '/api/feed', rows)).status, after }
  }

  protected async observe(caller: Caller): Promise<Shown> {
    const samples = await samplesOf(caller, this.#path)
    return new Map(samples.map(({ time, data }) => [String(time), data]))
  }
}

const MAY_READ = [{ resource: 'organization', methods: ['GET'] }]

/** Keys that are made, changed and revoked; shown is whether their secret opens the door. */
export class KeyWorkload extends ServiceWorkload {
  /** By secret; a key that somebody began to revoke is not changed again. */
  readonly #uids = new Map<string, string>()
  #count = 0

  protected choose({ owner }: Caller): Act {
    const [secret, uid] = this.#uids.size > 0 ? this.random.pick([...this.#uids]) : []
    if (secret === undefined || this.random.next() < 0.5) return this.#insert(owner)
    const path = `/api/api_key/${uid}`
    if (this.random.next() < 0.5) {
      const isOpen = this.shown.get(secret) === 'open'
      const api_key = { capabilities: isOpen ? [] : MAY_READ }
      const send = async () => (await owner('POST', path, { api_key })).status
      return { send, after: new Map(this.shown).set(secret, isOpen ? 'closed' : 'open') }
    }
    this.#uids.delete(secret)
    const send = async () => (await owner('DELETE', path)).status
    return { send, after: new Map(this.shown).set(secret, 'closed') }
  }

  /** A key whose answer never came has a secret that nobody knows: nothing to look for. */
  #insert(owner: Call): Act {
    this.#count += 1
    const after = new Map(this.shown)
    const api_key = { name: `key ${this.#count}`, capabilities: MAY_READ }
    const send = async () => {
      const { status, body } = await owner('PUT', '/api/api_key', { api_key })
      if (status !== 200) return status
      after.set(body.api_key.secretKey, 'open')
      this.#uids.set(body.api_key.secretKey, body.api_key.uid)
      return status
    }
    return { send, after }
  }

  protected async observe({ url }: Caller): Promise<Shown> {
    const found = new Map<string, unknown>()
    for (const secret of this.shown.keys()) {
      const { status } = await fetch(`${url}/api/organization?api_key=${secret}`)
      assert.ok([200, 401, 403].includes(status), `a key is answered with ${status}`)
      found.set(secret, status === 200 ? 'open' : 'closed')
    }
    return found
  }
}

/** Delete profiles that are made, changed and deleted. */
export class ProfileWorkload extends ServiceWorkload {
  #count = 0

  protected async choose({ owner }: Caller): Promise<Act> {
    const id = this.shown.size > 0 ? this.random.pick([...this.shown.keys()]) : undefined
    const count = this.random.integer(1, 1000)
    if (id === undefined || this.random.next() < 0.5) {
      this.#count += 1
      const name = `profile ${this.#count}`
      const delete_profile = { id: name, name, sizeType: 'YEAR', count }
      const send = async () =>
        (await owner('PUT', '/api/delete_profile', { delete_profile })).status
      return { send, after: new Map(this.shown).set(name, count) }
    }
    const { uid } = (await this.#list(owner)).find((profile) => profile.id === id) ?? {}
    const path = `/api/delete_profile/${uid}`
    if (this.random.next() < 0.5) {
      const send = async () => (await owner('POST', path, { delete_profile: { count } })).status
      return { send, after: new Map(this.shown).set(id, count) }
    }
    const after = new Map(this.shown)
    after.delete(id)
    return { send: async () => (await owner('DELETE', path)).status, after }
  }

  protected async observe({ owner }: Caller): Promise<Shown> {
    const mine = (await this.#list(owner)).filter(({ id }) => id.startsWith('profile '))
    return new Map(mine.map(({ id, count }) => [id, count]))
  }

  async #list(owner: Call): Promise<Array<{ uid: string; id: string; count: number }>> {
    const { status, body, text } = await owner('GET', '/api/delete_profile')
    assert.equal(status, 200, text)
    return body.delete_profile
  }
}

/** Files that are put and deleted; shown is their body. */
export class FileWorkload extends ServiceWorkload {
  #count = 0

  protected choose({ owner, url }: Caller): Act {
    const after = new Map(this.shown)
    if (this.shown.size > 2 && this.random.next() < 0.3) {
      const time = Number(this.random.pick([...this.shown.keys()]))
      after.delete(String(time))
      const path = `/api/comp/files/stream/f/feed?sd=${time}&ed=${time + 1}`
      return { send: async () => (await owner('DELETE', path)).status, after }
    }
    this.#count += 1
    const time = BASE + this.#count
    const body = `${this.#count} `.repeat(this.random.pick([1, 100, 70_000]))
    after.set(String(time), body)
    const path = `/api/comp/files/stream/f/feed/file/${this.#count}?time=${time}&api_key=${FEED_KEY}`
    const headers = { 'content-type': 'text/plain' }
    return {
      send: async () => (await fetch(`${url}${path}`, { method: 'PUT', headers, body })).status,
      after,
    }
  }

  protected async observe(caller: Caller): Promise<Shown> {
    const found = new Map<string, unknown>()
    for (const { time, data } of await samplesOf(caller, '/api/comp/files/stream/f')) {
      const answer = await caller.owner('GET', String(data))
      assert.equal(answer.status, 200, `the body of ${time}`)
      found.set(String(time), answer.text)
    }
    return found
  }
}

/** The key that the first start makes. */
export const FEED_KEY = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/**
 * A stream that keeps a minute: what is older goes while the service runs and never comes back, what
 * is younger stays.
 */
export class ExpiringWorkload extends ServiceWorkload {
  readonly #young = Date.now() + HOUR
  readonly #old = new Set<string>()
  #count = 0

  async prepare({ owner }: Caller): Promise<void> {
    const minute = { id: 'minute', name: 'minute', sizeType: 'MINUTE', count: 1 }
    const { body } = await owner('PUT', '/api/delete_profile', { delete_profile: minute })
    const uid = body.delete_profile.uid
    const stream = [{ id: 's', name: 's', valueType: 'DOUBLE', delete_profile: { uid } }]
    const component = { id: 'short', name: 'short', stream }
    assert.equal((await owner('PUT', '/api/component', { component })).status, 200)
  }

  protected choose({ owner }: Caller): Act {
    this.#count += 1
    const young = this.#young + this.#count
    const old = Date.now() - 2 * MINUTE
    this.#old.add(String(old))
    const rows = [old, young].map((time) => ({ compId: 'short', streamId: 's', time, data: 1 }))
    const send = async () => (await owner('PUT', '/api/feed', rows)).status
    return { send, after: new Map(this.shown).set(String(young), 1) }
  }

  protected async observe(caller: Caller): Promise<Shown> {
    const range = `sd=${this.#young - 2 * HOUR}&ed=${this.#young + HOUR}`
    const { body } = await caller.owner('GET', `/api/comp/short/stream/s/feed?${range}`)
    const found = new Map<string, unknown>()
    for (const { time, data } of body) {
      if (time > this.#young) found.set(String(time), data)
      else assert.ok(this.#old.has(String(time)), `the old sample ${time} came back`)
    }
    const there = new Set(body.map(({ time }: { time: number }) => String(time)))
    for (const time of this.#old) if (!there.has(time)) this.#old.delete(time)
    return found
  }
}
