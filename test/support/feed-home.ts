import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { Capabilities, keyPrincipal, type Method, type Principal } from '../../src/access/index.ts'
import { ManualClock, MemoryBudget, Refusal } from '../../src/base/index.ts'
import { type Catalog, openCatalog } from '../../src/catalog/index.ts'
import type { StreamInput } from '../../src/catalog/shape/index.ts'
import { Feed } from '../../src/feed/index.ts'
import { FeedCalls } from '../../src/http/feed/feed-calls.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import type { SampleBatch } from '../../src/store/index.ts'
import { PlainSampleStore } from './plain-sample-store.ts'

/** The time at which the clock of a feed home stands. */
export const NOW = 1_700_000_000_000

/** A key of organization `o` with capabilities such as ['component/*\/feed', 'GET PUT']. */
export function keyWith(...entries: [resource: string, methods: string][]): Principal {
  const capabilities = new Capabilities(
    entries.map(([resource, methods]) => ({ resource, methods: methods.split(' ') as Method[] })),
  )
  return keyPrincipal({ orgUid: 'o', keyUid: 'k', capabilities })
}

const administrator = keyWith(['*', 'GET PUT POST DELETE'])
export const anyFeed = keyWith(['component/*/feed', 'GET PUT DELETE'])

/** A feed over the real catalog and a plain sample store, driven by the wire form of its calls. */
export interface FeedHome {
  readonly catalog: Catalog
  readonly store: PlainSampleStore
  readonly clock: ManualClock
  readonly calls: FeedCalls
  readonly landed: readonly SampleBatch[]
  /** What callers of puts were warned of so far. */
  readonly warnings: readonly string[]
  /** The catalog as another process has it that shares the store. */
  openAnother(): Promise<Catalog>
  put(query: string, principal?: Principal): Promise<string>
  putJson(body: unknown, query?: string, principal?: Principal): Promise<string>
  getText(streamId?: string, query?: string): Promise<string>
  get(streamId?: string, query?: string): Promise<ShownSample[]>
  last(streamId?: string, query?: string): Promise<ShownSample[]>
  /** Inserts a component. */
  add(compId: string, streams: Readonly<Record<string, StreamInput>>): Promise<void>
  close(): Promise<void>
}

export interface ShownSample {
  readonly time: number
  readonly data: unknown
}

/** Opens a feed whose component `c` has the streams given. */
export async function openFeedHome(
  streams: Readonly<Record<string, StreamInput>> = {},
  budget = new MemoryBudget(1e9),
): Promise<FeedHome> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-feed-'))
  const clock = new ManualClock(NOW)
  const catalogStore = await openCatalogStore({ folder, clock })
  const people = {
    ownerOf: async () => ({ uid: 'u', name: 'Owner', timeZoneId: 'UTC' }),
    nameOf: async () => 'Owner',
  }
  const openAnother = () => openCatalog({ store: catalogStore, people, clock })
  const catalog = await openAnother()
  const store = new PlainSampleStore()
  const landed: SampleBatch[] = []
  const feed = new Feed({
    catalog,
    store,
    clock,
    showFile: (text) => `file:${text}`,
    onLanded: [(batch) => void landed.push(batch)],
  })
  const calls = new FeedCalls(feed, budget)
  const warnings: string[] = []
  const warn = (texts: readonly string[]) => void warnings.push(...texts)
  const add: FeedHome['add'] = async (compId, list) => {
    const stream = Object.entries(list).map(([id, input]) => ({ id, ...input }))
    await catalog.components.insert(administrator, { id: compId, stream })
  }
  await add('c', streams)
  const getText: FeedHome['getText'] = async (streamId, query = '') =>
    String(await calls.read(anyFeed, { call: 'get', ids: { compId: 'c', streamId }, query }))
  return {
    catalog,
    store,
    clock,
    calls,
    landed,
    warnings,
    add,
    getText,
    openAnother,
    put: (query, principal = anyFeed) => calls.put(principal, query, Buffer.alloc(0), { warn }),
    putJson: (body, query = '', principal = anyFeed) =>
      calls.put(principal, query, Buffer.from(JSON.stringify(body)), { warn }),
    get: async (streamId, query) => JSON.parse(await getText(streamId, query)),
    last: async (streamId, query = '') =>
      JSON.parse(
        String(
          await calls.read(anyFeed, { call: 'lastValue', ids: { compId: 'c', streamId }, query }),
        ),
      ),
    close: async () => {
      await catalogStore.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Opens a feed home that is closed by itself when the test ends. */
export async function openFeed(
  t: TestContext,
  streams: Readonly<Record<string, StreamInput>> = {},
): Promise<FeedHome> {
  const home = await openFeedHome(streams)
  t.after(() => home.close())
  return home
}

/** Samples as [time, data]. */
export function pairs(samples: readonly ShownSample[]): [number, unknown][] {
  return samples.map(({ time, data }) => [time, data])
}

/** The refusal of a call that must be refused. */
export async function refused(call: Promise<unknown>): Promise<Refusal> {
  try {
    await call
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  throw new assert.AssertionError({ message: 'the call was accepted' })
}
