import type { StreamInput } from '../../src/catalog/shape/index.ts'
import type { Random } from '../support/random.ts'

type Derivation = NonNullable<StreamInput['derivation']>
type Variable = NonNullable<Derivation['variables']>[number]

interface SourceShape {
  readonly id: string
  /** How far apart its samples are. */
  readonly stepMs: number
  /** The rank of its base cycle; undefined for a random stream. */
  readonly rank: number | undefined
}

/** A derived stream of a random graph. */
export interface DerivedShape {
  readonly id: string
  readonly rank: number | undefined
  readonly formula: string
}

/** A component of sources and streams derived from them, in an order in which they can be derived. */
export interface GraphShape {
  readonly sources: readonly SourceShape[]
  readonly derived: readonly DerivedShape[]
  readonly streams: readonly StreamInput[]
}

/** Base cycles, each nested in the next. */
const CYCLES = ['second', '10sec', 'minute'] as const
const STEPS = [1_000, 10_000, 60_000]
const STATS = ['avg', 'max', 'sum', 'first', 'last', 'nongapcount', 'gapcount', 'minoccurrence']

/** What every derived stream of a graph has in common. */
interface Common {
  readonly follows: boolean
  readonly trigger?: 'ALL' | 'ANY'
}

/** A graph of a few sources and derived streams, of every kind. */
export function randomGraph(random: Random, common: Common): GraphShape {
  const sources = Array.from({ length: random.integer(1, 4) }, (_, at): SourceShape => {
    const rank = random.pick([undefined, undefined, 0, 1])
    return { id: `s${at}`, rank, stepMs: STEPS[rank ?? 0] }
  })
  const streams: StreamInput[] = sources.map(({ id, rank }) => ({
    id,
    valueType: 'DOUBLE',
    rollupMethod: random.pick(['AVG', 'MAX', 'SUM', 'LAST']),
    ...intervalOf(rank),
  }))
  const derived: DerivedShape[] = []
  for (let at = random.integer(1, 6); at > 0; at -= 1) {
    const id = `d${derived.length}`
    const { shape, stream } = randomDerived(random, { id, from: [...sources, ...derived], common })
    derived.push(shape)
    streams.push(stream)
  }
  return { sources, derived, streams }
}

function intervalOf(rank: number | undefined): Partial<StreamInput> {
  return rank === undefined ? {} : { streamType: 'intvl_stream', baseCycle: CYCLES[rank] }
}

function randomDerived(
  random: Random,
  about: {
    readonly id: string
    readonly from: readonly { readonly id: string; readonly rank: number | undefined }[]
    readonly common: Common
  },
): { shape: DerivedShape; stream: StreamInput } {
  const { id, from, common } = about
  const rank = random.pick([undefined, undefined, 1, 2])
  // Intervals are made of sources that are random or of shorter intervals.
  const fitting = from.filter((one) => rank === undefined || (one.rank ?? 0) <= rank)
  const isInterval = rank !== undefined && fitting.length > 0
  const choice = isInterval ? fitting : from
  const variables = Array.from({ length: random.integer(1, 4) }, (_, at): Variable => {
    const isWindow = random.next() < 0.25
    return {
      name: `v${at}`,
      streamId: random.pick(choice).id,
      offset: -random.pick([0, 0, 0, 1, 2]),
      ...(isWindow ? { cycleId: random.pick(['minute', '5min']), stat: random.pick(STATS) } : {}),
    }
  })
  const formula = randomFormula(random, variables.length)
  const trigger = common.trigger ?? random.pick(['ALL', 'ANY'] as const)
  const derivation = { expression: formula, variables, trigger, followsCorrections: common.follows }
  const stream: StreamInput = {
    id,
    streamDerivationType: 'FROM_EXPRESSION',
    derivation,
    rollupMethod: random.pick(['AVG', 'MAX', 'SUM', 'LAST']),
    ...intervalOf(isInterval ? rank : undefined),
  }
  return { shape: { id, rank: isInterval ? rank : undefined, formula }, stream }
}

function randomFormula(random: Random, count: number): string {
  const one = () => `v${random.integer(0, count)}`
  const all = Array.from({ length: count }, (_, at) => `v${at}`).join(' + ')
  return random.pick([
    all,
    `(${all}) / ${count}`,
    `${one()} * 2 - ifNull(${one()}, 1)`,
    `if(${one()} > 3, ${one()}, ${all})`,
    // Fails now and then, and then gives nothing.
    `${one()} / ${one()}`,
    `if(isNull(${one()}), 0, ${all})`,
  ])
}
