import { setTimeout as wait } from 'node:timers/promises'
import { drive } from '../load/drive.ts'
import { PutTemplate, Walk } from '../load/put-template.ts'
import { type Call, callerOf } from '../load/weir-caller.ts'
import type { RunningPeer } from '../peers/service.ts'
import { weir } from '../peers/weir.ts'
import type { Row } from '../report.ts'
import { printProgress, type Settings, withPeer } from '../settings.ts'

const SECOND_MS = 1_000
const SAMPLES_PER_CALL = 1_000
const DEPENDENTS = 20
/** Formulas of two inputs that the background follows at once. */
const PAIRS = 10
/** Of each input: enough for seconds of work. */
const SAMPLES_MAX = 2_000_000
const START = Date.UTC(2024, 0, 1)
/** Minutes for what takes a second. */
const TRIES_MAX = 50_000

/** Derived streams: over history, behind puts, within a put, and what they cost those who have none. */
export async function deriveSuite(settings: Settings): Promise<Row[]> {
  if (!settings.peers.includes(weir)) return []
  return withPeer(weir, async (running) => {
    const call = await callerOf(running.port)
    const plain = await bulkRate(running, settings, 'before')
    const history = await historyRate(running, call, Math.min(settings.samples, SAMPLES_MAX))
    const behind = await followRate(running, call, settings.seconds)
    const within = await putLatency(call, settings.calls)
    const beside = await bulkRate(running, settings, 'beside')
    const note = `${(beside / plain).toFixed(2)} times the rate without derived streams`
    return [
      rowOf('derive a two-input formula', 'samples/s', '1 M', { value: history }),
      rowOf('derive what is put meanwhile, in the background', 'samples/s', 'as put', behind),
      rowOf(`PUT with derMaxS over ${DEPENDENTS} dependents, p50`, 'ms', '5 ms', { value: within }),
      rowOf('bulk puts beside derived streams', 'samples/s', 'as without', { value: beside, note }),
    ]
  })
}

function rowOf(work: string, unit: Row['unit'], aim: string, Weir: Row['cells'][string]): Row {
  return { work, unit, aim, cells: { Weir } }
}

const derivationOf = (expression: string, ...names: string[]) => ({
  expression,
  variables: names.map((name) => ({ name, streamId: name })),
})

/** Samples that a formula of two inputs gives each second, as a job over history. */
async function historyRate(running: RunningPeer, call: Call, samples: number): Promise<number> {
  printProgress(`Weir: ${samples} samples of a formula over two streams`)
  for (const streamId of ['a', 'b']) await fill(running, { compId: 'calc', streamId }, samples)
  const { component } = (await call('GET', '/api/component?id=calc')) as Record<
    string,
    { uid: string }[]
  >
  const path = `/api/component/${component[0].uid}/stream`
  const { stream } = (await call('PUT', path, {
    stream: { id: 'mean', derivation: derivationOf('(a + b) / 2', 'a', 'b') },
  })) as Record<string, { uid: string }>
  const { job } = await call('POST', `${path}/${stream.uid}/derive`, {})
  for (;;) {
    const { job: found } = (await call(
      'GET',
      `/api/job/${(job as { uid: string }).uid}`,
    )) as Record<string, { status: string; start: number; end: number }>
    if (found.status === 'DONE') return (samples * SECOND_MS) / (found.end - found.start)
    if (found.status !== 'RUNNING') throw new Error(`the job ended ${found.status}`)
    await wait(100)
  }
}

/**
 * Results per second of formulas with two inputs, calculated in the background while one connection puts at full speed.
 * Measured from the first put until the last result can be read.
 */
async function followRate(
  running: RunningPeer,
  call: Call,
  secondsMax: number,
): Promise<Row['cells'][string]> {
  printProgress(`Weir: ${PAIRS} formulas of two streams behind bulk puts for ${secondsMax} s`)
  const pairs = Array.from({ length: PAIRS }, (_, at) => [`a${at}`, `b${at}`] as const)
  const compId = 'follow'
  const inputs = pairs.flat().map((id) => ({ id, valueType: 'DOUBLE' }))
  const results = pairs.map(([a, b], at) => ({
    id: `mean${at}`,
    derivation: derivationOf(`(${a} + ${b}) / 2`, a, b),
  }))
  const stream = [...inputs, ...results]
  await call('PUT', '/api/component', { component: { id: compId, stream } })
  const timesPerCall = SAMPLES_PER_CALL / inputs.length
  const names = Array.from({ length: timesPerCall }, () =>
    inputs.map(({ id }) => ({ compId, streamId: id })),
  ).flat()
  const template = new PutTemplate(running.putForm, names)
  const walk = new Walk(1)
  let next = START
  const begun = performance.now()
  // One connection: a call that overtakes another would put samples that are late, and no appends.
  const { calls, seconds } = await drive(running, {
    connections: 1,
    secondsMax,
    callsMax: Number.POSITIVE_INFINITY,
    next: () => {
      const first = next
      next += timesPerCall * SECOND_MS
      return template.fill(
        (sample) => first + Math.floor(sample / inputs.length) * SECOND_MS,
        () => walk.next(),
      )
    },
  })
  for (const { id } of results) await waitForLast(call, { compId, streamId: id }, next - SECOND_MS)
  const took = (performance.now() - begun) / SECOND_MS
  const put = Math.round((calls * SAMPLES_PER_CALL) / seconds)
  const note = `of ${put} samples put a second; the last result ${(took - seconds).toFixed(2)} s after the last put`
  return { value: (calls * timesPerCall * PAIRS) / took, note }
}

async function waitForLast(
  call: Call,
  { compId, streamId }: { readonly compId: string; readonly streamId: string },
  time: number,
): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const [last] = (await call(
      'GET',
      `/api/comp/${compId}/stream/${streamId}/feed?limit=1`,
    )) as unknown as { time: number }[]
    if (last !== undefined && last.time >= time) return
    await wait(5)
  }
  throw new Error(`the background does not come to the end of ${streamId}`)
}

/** How long a put takes that derives its dependents, in the middle of all. */
async function putLatency(call: Call, calls: number): Promise<number> {
  printProgress(`Weir: puts that derive ${DEPENDENTS} streams`)
  const derived = Array.from({ length: DEPENDENTS }, (_, at) => ({
    id: `d${at}`,
    derivation: derivationOf(`s * ${at + 1}`, 's'),
  }))
  const stream = [{ id: 's', valueType: 'DOUBLE' }, ...derived]
  await call('PUT', '/api/component', { component: { id: 'fan', stream } })
  const times: number[] = []
  for (let at = 0; at < calls; at += 1) {
    const begun = performance.now()
    const time = START + at * SECOND_MS
    await call('PUT', `/api/feed?compId=fan&s=${at}&time=${time}&derMaxS=${DEPENDENTS}`)
    times.push(performance.now() - begun)
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)]
}

/** Samples a second of bulk puts into streams from which nothing is derived. */
async function bulkRate(running: RunningPeer, settings: Settings, compId: string): Promise<number> {
  printProgress(`Weir: bulk puts for ${settings.seconds} s`)
  const load = { secondsMax: settings.seconds, callsMax: Number.POSITIVE_INFINITY }
  const { calls, seconds } = await put(
    running,
    { compId, streamId: 's' },
    { ...load, connections: 4 },
  )
  return (calls * SAMPLES_PER_CALL) / seconds
}

async function fill(
  running: RunningPeer,
  stream: { readonly compId: string; readonly streamId: string },
  samples: number,
): Promise<void> {
  const callsMax = Math.ceil(samples / SAMPLES_PER_CALL)
  await put(running, stream, { connections: 1, secondsMax: 600, callsMax })
}

async function put(
  running: RunningPeer,
  stream: { readonly compId: string; readonly streamId: string },
  load: { readonly connections: number; readonly secondsMax: number; readonly callsMax: number },
) {
  const template = new PutTemplate(running.putForm, new Array(SAMPLES_PER_CALL).fill(stream))
  const walk = new Walk(1)
  let call = 0
  return drive(running, {
    ...load,
    next: () => {
      const first = START + call++ * SAMPLES_PER_CALL * SECOND_MS
      return template.fill(
        (sample) => first + sample * SECOND_MS,
        () => walk.next(),
      )
    },
  })
}
