/** From where on appends derive a stream, whatever becomes of the process after the save was answered. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StreamInput } from '../../src/catalog/shape/index.ts'
import { type DerivationHome, derivationHome, ORG, owner } from '../support/derivation-home.ts'

type Derived = NonNullable<StreamInput['derivation']>

const source = (id: string): StreamInput => ({ id, valueType: 'DOUBLE' })

function formula(expression: string, sources: string, more: Partial<Derived> = {}) {
  const variables = sources.split(' ').map((name) => ({ name, streamId: name }))
  return { derivation: { expression, variables, ...more } } satisfies StreamInput
}

type PutSample = readonly [streamId: string, time: number, value: number]

/** What happens in one component. */
interface Story {
  readonly name: string
  /** Between two of them, and after the last, something may happen to the process. */
  readonly steps: readonly ((place: Place) => Promise<void>)[]
  readonly expected: Readonly<Record<string, readonly (readonly [number, number])[]>>
}

/** The component of a story. */
class Place {
  readonly #home: DerivationHome
  readonly #compId: string

  constructor(home: DerivationHome, compId: string) {
    this.#home = home
    this.#compId = compId
  }

  async add(...streams: readonly StreamInput[]): Promise<void> {
    await this.#home.add(this.#compId, streams)
  }

  async put(...samples: readonly PutSample[]): Promise<void> {
    await this.#home.putTo(this.#compId, ...samples)
  }

  async derive(): Promise<void> {
    await this.#home.derivation.worker.settle()
  }

  /** Saves a stream, there already or not. */
  async save(id: string, input: StreamInput): Promise<void> {
    const { index, streams } = this.#home.catalog
    const componentUid = index.componentOf(this.#home.handleOf(this.#compId, 'a')).uid
    const handle = index.resolve(ORG, this.#compId, id)
    if (handle === 0) await streams.insert(owner, componentUid, { id, ...input })
    else await streams.update(owner, { componentUid, uid: index.streamUid(handle) }, input)
  }
}

const STORIES: readonly Story[] = (['ALL', 'ANY'] as const).flatMap((trigger): Story[] => [
  {
    name: `what sources have when a formula is saved is left alone (${trigger})`,
    steps: [
      async (c) => {
        await c.add(source('a'), source('b'))
        await c.put(['a', 10, 1], ['a', 20, 2], ['b', 10, 1], ['b', 20, 2], ['b', 30, 3])
        await c.save('d', formula('a + b', 'a b', { trigger }))
      },
      (c) => c.put(['a', 30, 3]),
      (c) => c.put(['a', 40, 4], ['b', 40, 4]),
    ],
    expected: {
      d: [
        [30, 6],
        [40, 8],
      ],
    },
  },
  {
    name: `of sources without samples all is derived (${trigger})`,
    steps: [
      (c) => c.add(source('a'), source('b')),
      async (c) => {
        await c.save('d', formula('a + b', 'a b', { trigger }))
        await c.put(['a', 10, 1], ['b', 10, 1])
      },
      (c) => c.put(['a', 20, 2], ['b', 20, 2]),
    ],
    expected: {
      d: [
        [10, 2],
        [20, 4],
      ],
    },
  },
  {
    name: `a formula of another source begins behind what that has (${trigger})`,
    steps: [
      async (c) => {
        await c.add(source('a'), source('b'), { id: 'd', ...formula('a', 'a', { trigger }) })
        await c.put(['a', 10, 1])
        await c.derive()
        await c.put(['b', 20, 2], ['b', 30, 3])
        await c.save('d', formula('b', 'b', { trigger }))
      },
      (c) => c.put(['b', 40, 4]),
    ],
    expected: {
      d: [
        [10, 1],
        [40, 4],
      ],
    },
  },
  {
    name: `what is put while a stream is a plain one is left alone when it has its formula back (${trigger})`,
    steps: [
      async (c) => {
        await c.add(source('a'), { id: 'd', ...formula('a', 'a', { trigger }) })
        await c.put(['a', 10, 1])
        await c.derive()
        await c.save('d', { streamDerivationType: 'NONE' })
      },
      (c) => c.put(['a', 20, 2]),
      (c) => c.save('d', formula('a', 'a', { trigger })),
      (c) => c.put(['a', 30, 3]),
    ],
    expected: {
      d: [
        [10, 1],
        [30, 3],
      ],
    },
  },
  {
    name: `what is put late, or over others, after the save is no append (${trigger})`,
    steps: [
      async (c) => {
        await c.add(source('a'))
        await c.put(['a', 10, 1], ['a', 20, 2])
        await c.save('d', formula('a', 'a', { trigger }))
        await c.put(['a', 15, 9], ['a', 20, 9])
      },
      (c) => c.put(['a', 30, 3]),
    ],
    expected: { d: [[30, 3]] },
  },
  {
    name: `behind a stream whose results appends change, what it has is left alone (${trigger})`,
    steps: [
      async (c) => {
        const x = { id: 'x', ...formula('a + b', 'a b', { trigger: 'ANY' }) }
        await c.add(source('a'), source('b'), x)
        await c.put(['a', 10, 1], ['b', 10, 1], ['a', 20, 2])
        await c.derive()
        await c.save('d', formula('x * 10', 'x', { trigger }))
      },
      // Results that it has become others.
      (c) => c.put(['b', 20, 5]),
      (c) => c.put(['a', 30, 3]),
    ],
    expected: {
      x: [
        [10, 2],
        [20, 7],
        [30, 8],
      ],
      d: [[30, 80]],
    },
  },
  {
    name: `intervals that sources have passed when a formula is saved are left alone (${trigger})`,
    steps: [
      async (c) => {
        const minute = { streamType: 'intvl_stream', baseCycle: 'minute' } as const
        await c.add(source('a'))
        await c.put(['a', 1_000, 1], ['a', 61_000, 2])
        await c.save('d', { ...minute, ...formula('a', 'a', { trigger }) })
      },
      (c) => c.put(['a', 125_000, 3]),
      (c) => c.put(['a', 185_000, 4]),
    ],
    expected: { d: [[180_000, 3]] },
  },
  {
    name: `a formula that is saved again leaves nothing out (${trigger})`,
    steps: [
      async (c) => {
        await c.add(source('a'))
        await c.put(['a', 10, 1])
        await c.save('d', formula('a * 2', 'a', { trigger }))
      },
      async (c) => {
        await c.put(['a', 20, 2])
        await c.save('d', { ...formula('a * 2', 'a', { trigger }), name: 'twice' })
      },
      (c) => c.put(['a', 30, 3]),
    ],
    expected: {
      d: [
        [20, 4],
        [30, 6],
      ],
    },
  },
])

async function restart(home: DerivationHome, isKilled: boolean): Promise<void> {
  await home.restart(isKilled)
  await home.derivation.start()
}

/** What may happen to the process between two steps. */
const FATES: Readonly<Record<string, (home: DerivationHome) => Promise<void>>> = {
  'is left alone': async () => {},
  derives: (home) => home.derivation.worker.settle(),
  'is killed': (home) => restart(home, true),
  'is killed after samples were sealed': async (home) => {
    await home.samples.sealAll()
    await restart(home, true)
  },
  'is stopped': (home) => restart(home, false),
}

for (const [what, fate] of Object.entries(FATES)) {
  test(`appends derive the same when the process ${what}`, async (t) => {
    const home = await derivationHome(t)
    await home.derivation.start()
    const last = Math.max(...STORIES.map(({ steps }) => steps.length))
    for (let at = 0; at < last; at += 1) {
      for (const { name, steps } of STORIES) await steps[at]?.(new Place(home, name))
      await fate(home)
    }
    await home.derivation.worker.settle()
    for (const { name, expected } of STORIES) {
      for (const [id, samples] of Object.entries(expected)) {
        assert.deepEqual(await home.readOf(name, id), samples, `${name}: ${id}`)
      }
    }
  })
}
