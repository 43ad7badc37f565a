import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Clock, epochMs, systemClock } from '../../src/base/index.ts'
import { type Catalog, openCatalog } from '../../src/catalog/index.ts'
import type { StreamInput } from '../../src/catalog/shape/index.ts'
import { StreamDeriver } from '../../src/derivation/index.ts'
import { Feed } from '../../src/feed/index.ts'
import {
  type EmbeddedSampleStore,
  openCatalogStore,
  openSampleStore,
} from '../../src/store/embedded/index.ts'
import {
  type CatalogStore,
  type SampleBatch,
  type StreamHandle,
  withCommit,
} from '../../src/store/index.ts'
import { ownerOf } from './catalog.ts'
import { batch, read } from './samples.ts'

export const ORG = 'org-1'
export const owner = ownerOf(ORG)

type PutSample = readonly [streamId: string, time: number, value: number | string]

/** Derived streams over the real stores in a folder of their own. */
export interface DerivationHome {
  readonly catalog: Catalog
  readonly catalogStore: CatalogStore
  readonly samples: EmbeddedSampleStore
  readonly feed: Feed
  readonly derivation: StreamDeriver
  /** What another process over the same stores would be; not started, and closed with the home. */
  another(holder: string): StreamDeriver
  /** Inserts a component. */
  add(compId: string, streams: readonly StreamInput[]): Promise<void>
  handleOf(compId: string, streamId: string): StreamHandle
  /** Puts samples of component `c` as a feed does: stream, time, value. */
  put(...samples: readonly PutSample[]): Promise<void>
  putTo(compId: string, ...samples: readonly PutSample[]): Promise<void>
  /** As putTo; then derives as a put with derMaxS does. */
  putAndDerive(compId: string, ...samples: readonly PutSample[]): Promise<void>
  remove(streamId: string, from: number, until: number): Promise<void>
  removeOf(compId: string, streamId: string, from: number, until: number): Promise<void>
  /** All samples of a stream of component `c`. */
  read(streamId: string): Promise<[number, number | string][]>
  readOf(compId: string, streamId: string): Promise<[number, number | string][]>
  /** Closes everything and opens it again; `isKilled` forgets what was not kept before. */
  restart(isKilled?: boolean): Promise<void>
  close(): Promise<void>
}

interface HomeOptions {
  readonly clock?: Clock
  /** Waited for before samples are stored: a slow disk. */
  readonly beforeAppend?: (batch: SampleBatch) => Promise<void>
}

/** Opens it; the worker is not started, `derivation.worker.settle()` lets it work. */
export async function openDerivationHome(options: HomeOptions = {}): Promise<DerivationHome> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-derivation-'))
  const { clock = systemClock, beforeAppend = async () => {} } = options
  const people = {
    ownerOf: async () => ({ uid: 'u', name: 'Owner', timeZoneId: 'UTC' }),
    nameOf: async () => 'Owner',
  }
  let isKilled = false
  const open = async () => {
    const embedded = await openCatalogStore({ folder, clock })
    // Who is killed keeps nothing any more.
    const catalogStore = withCommit(embedded, async (writes, lease, limits) => {
      if (isKilled) throw new Error('killed')
      return embedded.commit(writes, lease, limits)
    })
    const catalog = await openCatalog({ store: catalogStore, people, clock })
    const samples = await openSampleStore({ folder, isSealedWhenWatched: true })
    const append = samples.append.bind(samples)
    samples.append = async (...args) => {
      await beforeAppend(args[0])
      return await append(...args)
    }
    const feed: Feed = new Feed({
      catalog,
      store: samples,
      clock,
      showFile: (text) => text,
      derive: (landed, limits) => derivation.derivePut(landed, limits),
    })
    const deriverOf = (holder: string) =>
      new StreamDeriver({
        catalog,
        catalogStore,
        store: samples,
        feed,
        clock,
        holder,
        onFailure: (error) => {
          if (!isKilled) throw error
        },
      })
    const others: StreamDeriver[] = []
    const another = (holder: string) => {
      const other = deriverOf(holder)
      others.push(other)
      return other
    }
    const derivation = deriverOf('test')
    return { catalogStore, catalog, samples, feed, derivation, others, another }
  }
  let parts = await open()
  const close = async () => {
    for (const deriver of [...parts.others, parts.derivation]) await deriver.close()
    await parts.samples.close()
    await parts.catalogStore.close()
  }
  const handleOf = (compId: string, streamId: string) => {
    const handle = parts.catalog.index.resolve(ORG, compId, streamId)
    if (handle === 0) throw new Error(`no stream ${compId} / ${streamId}`)
    return handle as StreamHandle
  }
  const putTo: DerivationHome['putTo'] = async (compId, ...samples) => {
    const rows = samples.map(([id, time, value]) => [handleOf(compId, id), time, value] as const)
    await parts.feed.append(batch(rows), ORG)
  }
  const putAndDerive: DerivationHome['putAndDerive'] = async (compId, ...samples) => {
    const rows = samples.map(([id, time, value]) => [handleOf(compId, id), time, value] as const)
    const landed = batch(rows)
    await parts.feed.append(landed, ORG)
    const deadline = clock.elapsed() + 15_000
    await parts.derivation.derivePut(landed, { streamsMax: 20, deadline })
  }
  const removeOf: DerivationHome['removeOf'] = async (compId, streamId, from, until) => {
    const handle = handleOf(compId, streamId)
    await parts.samples.remove({ handle, from: epochMs(from), until: epochMs(until) })
  }
  const readOf: DerivationHome['readOf'] = (compId, streamId) =>
    read(parts.samples, handleOf(compId, streamId))
  return {
    get catalog() {
      return parts.catalog
    },
    get catalogStore() {
      return parts.catalogStore
    },
    get samples() {
      return parts.samples
    },
    get feed() {
      return parts.feed
    },
    get derivation() {
      return parts.derivation
    },
    handleOf,
    another: (holder) => parts.another(holder),
    add: async (id, stream) => {
      await parts.catalog.components.insert(owner, { id, stream })
    },
    putTo,
    putAndDerive,
    removeOf,
    readOf,
    put: (...samples) => putTo('c', ...samples),
    remove: (streamId, from, until) => removeOf('c', streamId, from, until),
    read: (streamId) => readOf('c', streamId),
    restart: async (asKilled = false) => {
      isKilled = asKilled
      await close()
      isKilled = false
      parts = await open()
    },
    close: async () => {
      await close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Opens a home that is closed by itself when the test ends. */
export async function derivationHome(
  t: TestContext,
  options: HomeOptions = {},
): Promise<DerivationHome> {
  const home = await openDerivationHome(options)
  t.after(() => home.close())
  return home
}
