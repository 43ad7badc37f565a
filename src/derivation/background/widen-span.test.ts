import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Random, roundsBy, testSeeds } from '../../../test/support/random.ts'
import { epochMs } from '../../base/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import type { Cycle, Period } from '../../time/index.ts'
import type { DerivationPlan, PlanVariable } from '../derivation-plan.ts'
import { type SampleTimes, widenSpan } from './widen-span.ts'

/** A sample: its time, and which of all that ever were it is; gaps have none. */
type Sample = readonly [time: number, version: number | null]
/** What each source has, as stored, ascending. */
type Stored = Map<StreamHandle, Sample[]>
type Plan = Pick<DerivationPlan, 'result' | 'trigger' | 'variables'>

const END = 240

const period = (from: number, until: number): Period => ({
  from: epochMs(from),
  until: epochMs(until),
})

/** Periods as a list, as widening asks for them. */
function cycleOf(periods: readonly Period[], fixedMs?: number): Cycle {
  return {
    fixedMs,
    periodOf: (at: number) => periods.find(({ from, until }) => from <= at && at < until),
    next: (at: number) => periods.find(({ from }) => from > at),
    previous: (at: number) => {
      const held = periods.find(({ from, until }) => from <= at && at < until)
      return periods.findLast(({ until }) => until <= (held?.from ?? at))
    },
  } as Partial<Cycle> as Cycle
}

const fixed = (ms: number) =>
  cycleOf(
    Array.from({ length: 4 * END }, (_, at) => period((at - END) * ms, (at + 1 - END) * ms)),
    ms,
  )
const WITH_HOLES = cycleOf([period(0, 25), period(30, 60), period(85, 90), period(90, 190)])
const CYCLES = { five: fixed(5), ten: fixed(10), thirty: fixed(30), holes: WITH_HOLES }

/** The samples of a source with its gaps. */
function withGaps(samples: readonly Sample[], { source }: PlanVariable): readonly Sample[] {
  const [first, last] = [samples[0]?.[0], samples.at(-1)?.[0]]
  if (source.cycle === undefined || first === undefined || last === undefined) return samples
  const all = new Map<number, number | null>()
  for (let end: number | undefined = first; end !== undefined && end <= last; ) {
    all.set(end, null)
    end = source.cycle.next(end - 1)?.until
  }
  for (const [time, version] of samples) all.set(time, version)
  return [...all].sort((a, b) => a[0] - b[0])
}

/** Samples of a period; those of interval streams stand for the time before them. */
function within(samples: readonly Sample[], variable: PlanVariable, { from, until }: Period) {
  const shift = variable.source.kind === 'interval' ? 1 : 0
  return samples.filter(([time]) => from <= time - shift && time - shift < until)
}

function stepBack(cycle: Cycle, at: number, back: number): Period | undefined {
  let found = cycle.periodOf(at)
  for (let step = 0; step < back && found !== undefined; step += 1)
    found = cycle.previous(found.from)
  return found
}

/** What a variable sees for a result, as text; undefined where it has nothing. */
function seen(plan: Plan, variable: PlanVariable, at: number, stored: Stored): string | undefined {
  const own = stored.get(variable.handle) ?? []
  const samples = withGaps(own, variable)
  const back = -variable.offset
  const isInterval = variable.source.kind === 'interval'
  const show = (list: readonly Sample[]) => (list.length === 0 ? undefined : JSON.stringify(list))
  if (variable.window !== undefined) {
    const instant = plan.result.kind === 'interval' || isInterval ? at - 1 : at
    const found = stepBack(variable.window.cycle, instant, back)
    if (found === undefined) return undefined
    const last = plan.result.kind === 'interval' && !isInterval ? at - 1 : at
    const counted = within(samples, variable, found)
    return show(back > 0 ? counted : counted.filter(([time]) => time <= last))
  }
  if (plan.result.kind === 'random') {
    const index = samples.findLastIndex(([time]) => time <= at) - back
    return index < 0 ? undefined : show([samples[index]])
  }
  const found = stepBack(plan.result.cycle, at - 1, back)
  if (found === undefined) return undefined
  const counted = show(within(samples, variable, found))
  if (counted !== undefined || plan.trigger === 'ALL') return counted
  const shift = isInterval ? 1 : 0
  return show(own.filter(([time]) => time - shift < found.from).slice(-1))
}

/** Every result with what it was made of. */
function resultsOf(plan: Plan, stored: Stored): Map<number, string> {
  const results = new Map<number, string>()
  const { result, trigger, variables } = plan
  const isEnough = (test: (variable: PlanVariable) => boolean) =>
    trigger === 'ALL' ? variables.every(test) : variables.some(test)
  for (let at = -20; at < END + 60; at += 1) {
    if (result.kind === 'interval') {
      const interval = result.cycle.periodOf(at - 1)
      if (interval === undefined || interval.until !== at) continue
      if (!isEnough(({ handle }) => (stored.get(handle)?.at(-1)?.[0] ?? -1_000) >= at)) continue
      const isTouched = (variable: PlanVariable) => {
        const samples = withGaps(stored.get(variable.handle) ?? [], variable)
        return within(samples, variable, interval).length > 0
      }
      if (trigger === 'ANY' && !variables.some(isTouched)) continue
    } else {
      const isThere = (variable: PlanVariable) =>
        withGaps(stored.get(variable.handle) ?? [], variable).some(([time]) => time === at)
      if (!isEnough(isThere)) continue
    }
    const shown = variables.map((variable) => seen(plan, variable, at, stored))
    if (shown.every((one) => one !== undefined)) results.set(at, shown.join(' '))
  }
  return results
}

function randomPlan(random: Random): Plan {
  const isInterval = random.next() < 0.5
  const sources = Array.from({ length: random.integer(1, 4) }, () => {
    const cycle = random.next() < 0.5 ? undefined : isInterval ? CYCLES.five : CYCLES.ten
    return {
      kind: cycle === undefined ? 'random' : 'interval',
      valueType: 'DOUBLE',
      cycle,
    } as const
  })
  const variables = Array.from({ length: random.integer(1, 4) }, (_, at): PlanVariable => {
    const which = random.integer(0, sources.length)
    const windowCycle = random.pick([undefined, undefined, CYCLES.thirty, CYCLES.holes])
    return {
      name: `v${at}`,
      handle: (which + 1) as StreamHandle,
      type: 'DOUBLE',
      offset: -random.pick([0, 0, 1, 2, 3]),
      source: sources[which],
      rollup: 'avg',
      window: windowCycle && { cycle: windowCycle, stat: 'avg' },
    }
  })
  const result = isInterval
    ? ({ kind: 'interval', cycle: CYCLES.ten } as const)
    : ({ kind: 'random' } as const)
  return { result, trigger: random.pick(['ALL', 'ANY'] as const), variables }
}

/** Puts and takes samples in a stretch of a source at random. */
function touch(
  random: Random,
  { plan, stored, version }: { plan: Plan; stored: Stored; version: number },
) {
  const { handle, source } = random.pick(plan.variables)
  const from = random.integer(0, END)
  const until = from + random.pick([1, 10, 60])
  const samples = (stored.get(handle) ?? []).filter(
    ([time]) => time < from || time >= until || random.next() < 0.2,
  )
  const step = source.cycle?.fixedMs ?? 1
  for (let time = Math.ceil(from / step) * step; time < until; time += step) {
    if (random.next() > 0.3) continue
    const at = samples.findIndex(([other]) => other >= time)
    const isThere = at >= 0 && samples[at][0] === time
    samples.splice(at < 0 ? samples.length : at, isThere ? 1 : 0, [time, version])
  }
  return { handle, from, until, after: new Map(stored).set(handle, samples) }
}

test('widenSpan() holds every result that a touch of a source changes', async (t) => {
  for (const seed of testSeeds(roundsBy({ everyRun: 30, nightly: 60 }))) {
    t.diagnostic(`WEIR_TEST_SEED=${seed}`)
    const random = new Random(seed)
    const plan = randomPlan(random)
    let stored: Stored = new Map()
    for (let version = 1; version <= 12; version += 1) {
      const { after, ...touched } = touch(random, { plan, stored, version })
      const times: SampleTimes = {
        nthFrom: async (handle, time, nth) =>
          after.get(handle)?.filter((sample) => sample[0] >= time)[nth - 1]?.[0],
        latestBefore: async (handle, time) =>
          after.get(handle)?.findLast((sample) => sample[0] < time)?.[0],
      }
      const { from, until } = await widenSpan(plan, touched, times)
      const [old, fresh] = [resultsOf(plan, stored), resultsOf(plan, after)]
      for (const time of new Set([...old.keys(), ...fresh.keys()])) {
        if (old.get(time) === fresh.get(time)) continue
        const about = { seed, version, time, from, until, touched, plan }
        assert.ok(from <= time && time < until, JSON.stringify(about))
      }
      stored = after
    }
  }
})

test('widenSpan() widens nothing where a result sees no other sample', async () => {
  const source = { kind: 'random', valueType: 'DOUBLE', cycle: undefined } as const
  const about = { type: 'DOUBLE', rollup: undefined, window: undefined } as const
  const handle = 1 as StreamHandle
  const variable: PlanVariable = { ...about, name: 'a', handle, source, offset: 0 }
  const times: SampleTimes = { nthFrom: async () => 500, latestBefore: async () => 3 }
  const widen = (plan: Omit<Plan, 'result'>) =>
    widenSpan({ ...plan, result: { kind: 'random' } }, { handle, from: 10, until: 20 }, times)
  const variables = [variable]
  assert.deepEqual(await widen({ trigger: 'ALL', variables }), { from: 10, until: 20 })
  assert.deepEqual(await widen({ trigger: 'ANY', variables }), { from: 10, until: 500 })
  const back = [{ ...variable, offset: -2 }]
  assert.deepEqual(await widen({ trigger: 'ALL', variables: back }), { from: 10, until: 501 })
})
