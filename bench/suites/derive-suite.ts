import { setTimeout as wait } from 'node:timers/promises'
import { drive } from '../load/drive.ts'
import { PutTemplate, Walk } from '../load/put-template.ts'
import type { RunningPeer } from '../peers/service.ts'
import { OWNER_PASSWORD, weir } from '../peers/weir.ts'
import type { Row } from '../report.ts'
import { type Settings, tell, withPeer } from '../settings.ts'

const SECOND_MS = 1_000
const SAMPLES_PER_CALL = 1_000
const DEPENDENTS = 20
/** Of each input: enough for seconds of work. */
const SAMPLES_MAX = 2_000_000
const START = Date.UTC(2024, 0, 1)

type Call = (method: string, path: string, body?: object) => Promise<Record<string, never>>

/** Derived streams: over history, within a put, and what they cost those who have none. */
export async function deriveSuite(settings: Settings): Promise<Row[]> {
  if (!settings.peers.includes(weir)) return []
  return withPeer(weir, async (running) => {
    const call = await callerOf(running.port)
    const plain = await bulkRate(running, settings, 'before')
    const history = await historyRate(running, call, Math.min(settings.samples, SAMPLES_MAX))
    const within = await putLatency(call, settings.calls)
    const beside = await bulkRate(running, settings, 'beside')
    const note = `${(beside / plain).toFixed(2)} times the rate without derived streams`
    return [
      rowOf('derive a two-input formula', 'samples/s', '1 M', { value: history }),
      rowOf(`PUT with derMaxS over ${DEPENDENTS} dependents, p50`, 'ms', '5 ms', { value: within }),
      rowOf('bulk puts beside derived streams', 'samples/s', 'as without', { value: beside, note }),
    ]
  })
}

function rowOf(work: string, unit: Row['unit'], aim: string, Weir: Row['cells'][string]): Row {
  return { work, unit, aim, cells: { Weir } }
}

async function callerOf(port: number): Promise<Call> {
  const call =
    (headers: Record<string, string>): Call =>
    async (method, path, body) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        ...{ method, headers: { ...headers, 'Content-Type': 'application/json' } },
        body: body === undefined ? undefined : JSON.stringify(body),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path}: ${text}`)
      return text === '' ? {} : JSON.parse(text)
    }
  const login = { email: 'owner@localhost', password: OWNER_PASSWORD }
  const { sessionUid } = await call({})('POST', '/api/login', login)
  return call({ Cookie: `session=${sessionUid}` })
}

const derivationOf = (expression: string, ...names: string[]) => ({
  expression,
  variables: names.map((name) => ({ name, streamId: name })),
})

/** Samples that a formula of two inputs gives each second, as a job over history. */
async function historyRate(running: RunningPeer, call: Call, samples: number): Promise<number> {
  tell(`Weir: ${samples} samples of a formula over two streams`)
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

/** How long a put takes that derives its dependents, in the middle of all. */
async function putLatency(call: Call, calls: number): Promise<number> {
  tell(`Weir: puts that derive ${DEPENDENTS} streams`)
  const derived = Array.from({ length: DEPENDENTS }, (_, at) => ({
    ...{ id: `d${at}`, derivation: derivationOf(`s * ${at + 1}`, 's') },
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
  tell(`Weir: bulk puts for ${settings.seconds} s`)
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
