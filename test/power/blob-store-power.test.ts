/** The blob store over files that keep only what was synced, through thousands of power cuts. */
// Alone: it has files of its own in place of Node’s.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createRequire, registerHooks } from 'node:module'
import { test } from 'node:test'
import type { BlobInfo, BlobStore } from '../../src/store/index.ts'
import { Random, roundsBy, testSeeds } from '../support/random.ts'
import { SimFiles } from './sim-files.ts'
import { useFiles } from './sim-node.ts'

const REPLACED = ['node:fs/promises', 'node:crypto']
const hooks = registerHooks({
  resolve(specifier, context, next) {
    const isBlobStore = /\/store\/embedded\/blob/.test(context.parentURL ?? '')
    if (!REPLACED.includes(specifier) || !isBlobStore) return next(specifier, context)
    return { url: new URL('./sim-node.ts', import.meta.url).href, shortCircuit: true }
  },
})
type BlobModule = typeof import('../../src/store/embedded/blobs/blob-store.ts')
const load = createRequire(import.meta.url)
const { openBlobStore } = load('../../src/store/embedded/blobs/blob-store.ts') as BlobModule
hooks.deregister()

const CUTS = roundsBy({ everyRun: 300, nightly: 20_000 })
const CUTS_PER_TRIAL = 25
const FOLDER = '/files'
const LENGTHS = [0, 1, 500, 4_096, 9_000, 40_000]
const ITERATION = { mayGoOn: async () => true, onChecked: () => {} }

const isOffOrRefused = (files: SimFiles, error: unknown): boolean =>
  files.isOff && !(error instanceof assert.AssertionError)

class BlobTrial {
  readonly #random: Random
  readonly #files: SimFiles
  readonly #bodies = new Map<string, { info: BlobInfo; body: Buffer }>()
  /** Bodies that somebody began to delete: there and whole, or gone. */
  readonly #deleted = new Map<string, { info: BlobInfo; body: Buffer }>()
  cuts = 0
  acknowledged = 0

  constructor(seed: number, lostSyncs: number) {
    this.#random = new Random(seed)
    this.#files = new SimFiles(this.#random)
    this.#files.lostSyncs = lostSyncs
  }

  async live(): Promise<void> {
    useFiles(this.#files, this.#random)
    const store = await this.#openAfterCuts()
    for (const { info, body } of this.#bodies.values()) await this.#check(store, info, body)
    for (const { info, body } of this.#deleted.values()) {
      if ((await store.read(info, { start: 0, end: 1 })) === undefined)
        this.#deleted.delete(info.key)
      else await this.#check(store, info, body)
    }
    const incoming = this.#files.list(`${FOLDER}/incoming`)
    assert.deepEqual(incoming, [], 'nothing half-written is left')
    this.#files.cutAfter(this.#random.integer(0, 60))
    await Promise.all([1, 2, 3].map(() => this.#work(store)))
    this.#restart()
  }

  /** A start may be cut, too. */
  async #openAfterCuts(): Promise<BlobStore> {
    while (this.#random.next() < 0.3) {
      this.#files.cutAfter(this.#random.integer(0, 6))
      await openBlobStore({ folder: FOLDER }).catch((error: unknown) => {
        if (!isOffOrRefused(this.#files, error)) throw error
      })
      this.#restart()
    }
    return openBlobStore({ folder: FOLDER })
  }

  #restart(): void {
    this.#files.restart(this.#random.next() < 0.3)
    this.cuts += 1
  }

  async #work(store: BlobStore): Promise<void> {
    try {
      while (!this.#files.isOff) await this.#step(store)
    } catch (error) {
      if (!isOffOrRefused(this.#files, error)) throw error
    }
  }

  async #step(store: BlobStore): Promise<void> {
    const some = this.#random.pick([...this.#bodies.values()])
    const choice = this.#random.next()
    if (some === undefined || choice < 0.6) await this.#put(store)
    else if (choice < 0.8 && this.#bodies.size > 5) {
      this.#bodies.delete(some.info.key)
      this.#deleted.set(some.info.key, some)
      await store.delete(some.info.key)
    } else await this.#checkUnlessDeleted(store, some.info, some.body)
  }

  async #checkUnlessDeleted(store: BlobStore, info: BlobInfo, body: Buffer): Promise<void> {
    await this.#check(store, info, body).catch((error: unknown) => {
      if (this.#bodies.has(info.key)) throw error
    })
  }

  async #put(store: BlobStore): Promise<void> {
    const body = Buffer.alloc(this.#random.pick(LENGTHS), String(this.#random.next()))
    const half = this.#random.integer(0, body.length + 1)
    const info = await store.put(piecesOf(body, half), { bytesMax: 1e6 })
    assert.equal(info.sha256, createHash('sha256').update(body).digest('hex'))
    this.#bodies.set(info.key, { info, body })
    this.acknowledged += 1
  }

  async #check(store: BlobStore, info: BlobInfo, body: Buffer): Promise<void> {
    const stream = await store.read(info, { start: 0, end: info.bytes })
    assert.ok(stream, `body ${info.key} is gone`)
    const read = Buffer.concat(await stream.toArray())
    assert.ok(read.equals(body), `body ${info.key} is another`)
    assert.deepEqual(await store.check(info, ITERATION), { outcome: 'whole' })
  }
}

async function* piecesOf(body: Buffer, half: number) {
  yield body.subarray(0, half)
  yield body.subarray(half)
}

async function runTrial(seed: number, lostSyncs = 0): Promise<number> {
  const trial = new BlobTrial(seed, lostSyncs)
  try {
    while (trial.cuts < CUTS_PER_TRIAL) await trial.live()
    return trial.acknowledged
  } catch (error) {
    throw new Error(`cut ${trial.cuts} of WEIR_TEST_SEED=${seed}`, { cause: error })
  }
}

const seeds = testSeeds(Math.ceil(CUTS / CUTS_PER_TRIAL))
test(`no power cut takes or changes a body that was acknowledged, ${CUTS} cuts`, async (context) => {
  let acknowledged = 0
  for (const seed of seeds) {
    context.diagnostic(`WEIR_TEST_SEED=${seed}`)
    acknowledged += await runTrial(seed)
  }
  context.diagnostic(`${acknowledged} bodies were acknowledged`)
  assert.ok(acknowledged > seeds.length * CUTS_PER_TRIAL)
})

test('files that answer syncs without doing them do not get through', async () => {
  await assert.rejects(runTrial(seeds[0], 0.2), /^Error: cut/)
})
