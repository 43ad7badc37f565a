/** Calls that once stopped everyone or took memory at will; what each is answered is checked. */
import { gzipSync } from 'node:zlib'
import { KEY } from '../peers/weir.ts'

/** A service to attack, on loopback. */
export interface Target {
  readonly port: number
  readonly base: string
}

/** Something hostile, done while others ask how the service is. */
export interface Attack {
  readonly work: string
  /** Why it cannot be done here, or undefined. */
  missing?(): string | undefined
  /** Prepares the work. The returned function does it and returns the result. */
  prepare(target: Target): Promise<() => Promise<string>>
}

interface Call {
  readonly path: string
  readonly init?: RequestInit
  /** The answers that are right. */
  readonly status: readonly number[]
  /** Calls one after the other. */
  readonly times?: number
  /** Calls at once. */
  readonly parallel?: number
}

const DIGITS = '1'.repeat(100_000)
const DECIMALS = 1_000
const PASSWORD = 'bench-bench'
const SAMPLE = { compId: 'stall', streamId: 'a', data: 1 }

/** Hostile calls, each whole and answered. */
export const callAttacks: readonly Attack[] = [
  calling('a value of 100,000 digits and an x', async () => ({
    path: '/api/feed',
    status: [200],
    init: put([{ ...SAMPLE, streamId: 'text', data: `${DIGITS}x` }]),
  })),
  calling('a limit of 100,000 digits and an x', async () => ({
    path: `/api/comp/stall/feed?limit=${DIGITS}x`,
    status: [400],
  })),
  calling('a Range of 100,000 spaces and an x', async (target) => {
    const path = '/api/comp/stall/stream/files/feed/file/a.txt'
    await call(target, { path, init: { method: 'PUT', body: 'some text' }, status: [200] })
    const headers = { range: `bytes=${' '.repeat(100_000)}x` }
    return { path, init: { headers }, status: [200] }
  }),
  calling('a put that names 1,000,000 new components', async () => newComponents(1)),
  calling('eight such puts at once', async () => newComponents(8)),
  calling(`retFData of ${DECIMALS} decimals of 999 digits`, async (target) => {
    const session = await signIn(target)
    const unit = { id: 'grouped', name: 'grouped', numberFormat: '0,000.00' }
    const { uid } = await insert(target, { session, unit })
    const stream = [{ id: 'd', valueType: 'BIG_DECIMAL', unit: { uid } }]
    await insert(target, { session, component: { id: 'decimals', name: 'decimals', stream } })
    const samples = Array.from({ length: DECIMALS }, (_, at) => ({
      compId: 'decimals',
      streamId: 'd',
      time: at,
      data: `${1_000 + at}${'7'.repeat(995)}`,
    }))
    await call(target, { path: '/api/feed', init: put(samples), status: [200] })
    const feed = `/api/comp/decimals/stream/d/feed?retFData&limit=${DECIMALS}`
    return { path: feed, status: [200] }
  }),
  calling('a CUSTOM cycle of 10,000 intervals, asked 20 times', async (target) => {
    const session = await signIn(target)
    const hour = (at: number) => new Date(at * 3_600_000).toISOString().slice(0, 19)
    const intervals = Array.from({ length: 10_000 }, (_, at) => ({
      from: hour(at),
      until: hour(at + 1),
    }))
    const cycle = { id: 'long', name: 'long', sizeType: 'CUSTOM', intervals }
    await insert(target, { session, cycle })
    const path = '/api/comp/stall/stream/a/cycle/long/stat/max/feed'
    return { path, status: [200], times: 20 }
  }),
]

/** Puts that are refused for what they would create, or because as many are under way as fit. */
function newComponents(parallel: number): Call {
  const samples = Array.from({ length: 1_000_000 }, (_, at) => ({
    compId: `c${at}`,
    streamId: 's',
    data: 1,
    time: 1,
  }))
  const body = gzipSync(JSON.stringify(samples))
  const init = { method: 'PUT', body, headers: { 'content-encoding': 'gzip' } }
  return { path: '/api/feed', init, status: [400, 503], parallel }
}

function calling(work: string, prepare: (target: Target) => Promise<Call>): Attack {
  return {
    work,
    prepare: async (target) => {
      await call(target, { path: '/api/feed', init: put([SAMPLE]), status: [200] })
      const attack = await prepare(target)
      return async () => {
        const statuses: number[] = []
        for (let time = 0; time < (attack.times ?? 1); time += 1) {
          const calls = Array.from({ length: attack.parallel ?? 1 }, () => call(target, attack))
          statuses.push(...(await Promise.all(calls)))
        }
        return `answered ${tallied(statuses)}`
      }
    },
  }
}

/** Calls with the feed key and reads the answer to its end. */
export async function call(target: Target, { path, init, status }: Call): Promise<number> {
  const joint = path.includes('?') ? '&' : '?'
  const answer = await fetch(`${target.base}${path}${joint}api_key=${KEY}`, init)
  const text = await answer.text()
  if (status.includes(answer.status)) return answer.status
  throw new Error(`${path.slice(0, 80)} was answered ${answer.status}: ${text.slice(0, 300)}`)
}

/** How often each answer came, such as `400 ×8`. */
export function tallied(answers: readonly (number | string)[]): string {
  const counts = new Map<number | string, number>()
  for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1)
  return [...counts]
    .map(([answer, count]) => (count === 1 ? `${answer}` : `${answer} ×${count}`))
    .join(', ')
}

/** A put of samples in JSON. */
export function put(samples: unknown): RequestInit {
  return { method: 'PUT', body: JSON.stringify(samples) }
}

/** A body of JSON. */
export function json(body: unknown, method = 'PUT'): RequestInit {
  const headers = { 'content-type': 'application/json' }
  return { method, headers, body: JSON.stringify(body) }
}

/** Inserts one record of a noun as the owner. */
export async function insert(
  { base }: Target,
  { session, ...record }: { readonly session: string; readonly [noun: string]: unknown },
): Promise<{ readonly uid: string }> {
  const [noun] = Object.keys(record)
  const answer = await fetch(`${base}/api/${noun}?${session}`, json(record))
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${noun} was answered ${answer.status}: ${text}`)
  return (JSON.parse(text) as Record<string, { readonly uid: string }>)[noun]
}

/** Signs the owner in; answers the parameter that carries the session. */
export async function signIn({ base }: Target): Promise<string> {
  const who = { email: 'owner@localhost', password: PASSWORD }
  const answer = await fetch(`${base}/api/login`, json(who, 'POST'))
  const { sessionUid } = (await answer.json()) as { sessionUid?: string }
  if (sessionUid === undefined) throw new Error(`the sign-in was answered ${answer.status}`)
  return `session=${sessionUid}`
}
