/** Lists that callers send: ten times as many entries may take about ten times the CPU time. */
import { cpuSeconds, type RunningPeer } from '../peers/service.ts'
import { weir } from '../peers/weir.ts'
import type { Row } from '../report.ts'
import { printProgress, withPeer } from '../settings.ts'
import { call, insert, json, put, signIn, type Target } from './stall-calls.ts'

/** Entries of the short list and of the long one. */
const SHORT = 1_000
const LONG = 10_000

/** CPU time comes in hundredths of a second, which a few calls take. */
const CALLS_OF_LONG = 10
const CALLS_OF_SHORT = CALLS_OF_LONG * (LONG / SHORT)

/** The long list may take half more for each entry: caches are smaller than lists. */
const AIM = '≤ 15'

/** Sends a list with this number of entries. */
type Send = (count: number) => Promise<unknown>

interface MeasuredList {
  readonly name: string
  prepare(target: Target, session: string): Promise<Send>
}

const many = <T>(count: number, entry: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => entry(at))

const ofStreams = (count: number) => many(count, (at) => ({ id: `s${at}` }))

const LISTS: readonly MeasuredList[] = [
  {
    name: 'streams of a template',
    prepare: (target, session) => updating(target, session, 'component_template'),
  },
  {
    name: 'streams of a component',
    prepare: (target, session) => updating(target, session, 'component'),
  },
  {
    name: 'intervals of a custom cycle',
    prepare: async ({ base }, session) => {
      const hour = (at: number) => new Date(at * 3_600_000).toISOString().slice(0, 19)
      const interval = (at: number) => ({ from: hour(at), until: hour(at + 1) })
      return (count) => {
        const cycle = { sizeType: 'CUSTOM', intervals: many(count, interval) }
        return post(`${base}/api/cycle/preview?${session}`, { cycle })
      }
    },
  },
  {
    name: 'components of a batch',
    prepare: async (target) => {
      const stream = [{ streamId: 'a', time: [1], data: [1] }]
      return (count) => {
        const component = many(count, () => ({ componentId: 'stall', stream }))
        return call(target, {
          path: '/api/feed',
          init: put({ feed: { component } }),
          status: [200],
        })
      }
    },
  },
  {
    name: 'stream IDs in a URL',
    prepare: async (target) => (count) => {
      const query = many(count, (at) => `n${at}=1`).join('&')
      const path = `/api/feed?compId=stall-query&time=1&${query}`
      return call(target, { path, init: { method: 'PUT' }, status: [200] })
    },
  },
  { name: 'names of streams in GS SQL', prepare: readingNames },
]

/** Reads the names of all streams of a component with that number of streams. */
async function readingNames(target: Target, session: string): Promise<Send> {
  for (const count of [SHORT, LONG]) {
    const samples = many(count, (at) => ({ compId: `wide ${count}`, streamId: `s${at}`, data: 1 }))
    await call(target, { path: '/api/feed', init: put(samples), status: [200] })
  }
  return (count) => {
    const sql = encodeURIComponent(`SELECT name FROM STREAM WHERE cid = 'wide ${count}'`)
    return call(target, { path: `/api/gql?c=5&s=${sql}&${session}`, init: {}, status: [200] })
  }
}

/** The ratio of CPU times of each list. */
export async function listRows(): Promise<Row[]> {
  return await withPeer(weir, async (running) => {
    const target = { port: running.port, base: `http://127.0.0.1:${running.port}` }
    const session = await signIn(target)
    const rows: Row[] = []
    for (const { name, prepare } of LISTS) {
      printProgress(`Weir: ${LONG} and ${SHORT} ${name}`)
      const send = await prepare(target, session)
      rows.push(await ratioOf(name, send, running))
    }
    return rows
  })
}

async function ratioOf(name: string, send: Send, running: RunningPeer): Promise<Row> {
  // The first calls create what they name, and are compiled on the way.
  await send(LONG)
  await send(SHORT)
  const short = (await cpuOf(running, () => send(SHORT), CALLS_OF_SHORT)) / CALLS_OF_SHORT
  const long = (await cpuOf(running, () => send(LONG), CALLS_OF_LONG)) / CALLS_OF_LONG
  const note = `${(long * 1_000).toFixed(0)} and ${(short * 1_000).toFixed(1)} ms`
  return {
    work: `CPU time of ${LONG} ${name} to that of ${SHORT}`,
    unit: 'ratio',
    aim: AIM,
    cells: { Weir: { value: long / short, note } },
  }
}

async function cpuOf(
  { process }: RunningPeer,
  act: () => Promise<unknown>,
  times: number,
): Promise<number> {
  const before = cpuSeconds(process) ?? Number.NaN
  for (let time = 0; time < times; time += 1) await act()
  return (cpuSeconds(process) ?? Number.NaN) - before
}

/** Updates a record of its own for each length, with the streams that it has. */
async function updating(target: Target, session: string, noun: string): Promise<Send> {
  const made = new Map<number, { readonly url: string; readonly stream: readonly object[] }>()
  return async (count) => {
    const known = made.get(count)
    if (known !== undefined) return await post(known.url, { [noun]: { stream: known.stream } })
    const record = { id: `${noun} ${count}`, stream: ofStreams(count) }
    const { uid } = await insert(target, { session, [noun]: record })
    const stream = await streamsOf(target, { session, noun, uid })
    made.set(count, { url: `${target.base}/api/${noun}/${uid}?${session}`, stream })
    return undefined
  }
}

/** The UIDs and IDs of a record's streams, in their order. */
async function streamsOf(
  { base }: Target,
  { session, noun, uid }: { readonly session: string; readonly noun: string; readonly uid: string },
): Promise<object[]> {
  const path = `${base}/api/${noun}/${uid}`
  const answer = await fetch(`${path}?${session}`)
  const record = (await answer.json()) as Record<string, { stream: { uid: string; id: string }[] }>
  const streams = [...record[noun].stream]
  while (noun === 'component') {
    const page = await fetch(`${path}/stream?start=${streams.length}&limit=1000&${session}`)
    const { stream } = (await page.json()) as { stream: typeof streams }
    if (stream.length === 0) break
    streams.push(...stream)
  }
  return streams.map((stream) => ({ uid: stream.uid, id: stream.id }))
}

async function post(url: string, body: object): Promise<void> {
  const answer = await fetch(url, json(body, 'POST'))
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`answered ${answer.status}: ${text.slice(0, 300)}`)
}
