/** How many source files a call executes: paths that are too long are found here. */
import assert from 'node:assert/strict'
import { Agent, type IncomingMessage, request } from 'node:http'
import { Session } from 'node:inspector/promises'
import { after, before, test } from 'node:test'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { signIn } from '../../support/caller.ts'
import {
  type ConnectorHome,
  startConnectorHome,
  VALUES_SQL,
  valuesBody,
} from '../../support/connector-home.ts'

const NOW = 1_700_000_000_000
const ROUNDS_MAX = 12

let home: ConnectorHome
const agent = new Agent({ keepAlive: true })
const profiler = new Session()
before(async () => {
  home = await startConnectorHome()
  profiler.connect()
  await profiler.post('Profiler.enable')
})
after(async () => {
  profiler.disconnect()
  agent.destroy()
  await home.service.close()
})

/** Source files with the names of their functions that ran. */
type Executed = Map<string, Set<string>>

/** What runs on the main thread while a call is served. */
async function executedBy(call: () => Promise<unknown>): Promise<Executed> {
  await profiler.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await call()
  const { result } = await profiler.post('Profiler.takePreciseCoverage')
  await profiler.post('Profiler.stopPreciseCoverage')
  const executed: Executed = new Map()
  for (const { url, functions } of result.filter((script) => script.url.includes('/src/'))) {
    const names = functions.filter(({ ranges }) => ranges[0].count > 0)
    if (names.length === 0) continue
    executed.set(
      url.slice(url.indexOf('/src/')),
      new Set(names.map(({ functionName }) => functionName)),
    )
  }
  return executed
}

/**
 * Checks how many files all calls of a kind execute. Timers of the service run beside some calls, and on a busy
 * machine beside all. So a file counts if one of its functions does not run while nobody calls. Calls are made until
 * the files that they have in common are within the ceiling, or until there were enough.
 */
async function checkPath(
  ceiling: number,
  call: (round: number) => Promise<number | undefined>,
): Promise<void> {
  assert.equal(await call(0), 200, 'a call that warms up')
  const idle: Executed = new Map()
  let common: Executed | undefined
  let path: string[] = []
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const begunAt = performance.now()
    const executed = await executedBy(async () =>
      assert.equal(await call(round), 200, `call ${round}`),
    )
    assert.ok(executed.has('/src/http/table/serve-operation.ts'), 'the profiler saw the call')
    const before = common ?? executed
    common = new Map([...executed].filter(([file]) => before.has(file)))
    path = [...common]
      .filter(([file, names]) => !names.isSubsetOf(idle.get(file) ?? new Set()))
      .map(([file]) => file)
    if (path.length <= ceiling) return
    const endedAt = performance.now()
    const waiting = executedBy(async () => {
      while (performance.now() - endedAt < endedAt - begunAt) await nextIteration()
    })
    for (const [file, names] of await waiting) {
      idle.set(file, names.union(idle.get(file) ?? new Set()))
    }
  }
  assert.fail(`${path.length} files, at most ${ceiling}:\n${path.sort().join('\n')}`)
}

/** Sends a call over a connection of its own kind, which nothing else has used. */
async function send(
  [method, path]: readonly [string, string],
  headers: Readonly<Record<string, string>>,
  body = '',
): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const sent = request(`${home.service.url}${path}`, { method, agent, headers }, resolve)
  sent.once('error', reject)
  if (body !== '') sent.setHeader('Content-Length', Buffer.byteLength(body))
  sent.end(body)
  const answer = await promise
  await answer.toArray()
  return answer.statusCode
}

const JSON_TYPE = { 'Content-Type': 'application/json' }

function put(body: object): Promise<number | undefined> {
  const headers = { ...JSON_TYPE, 'X-Api-Key': home.service.feedKey }
  return send(['PUT', '/api/feed'], headers, JSON.stringify(body))
}

/** A thousand samples of ten streams. */
function samplesOf(compId: string, from: number): object[] {
  return Array.from({ length: 1_000 }, (_, at) => ({
    compId,
    streamId: `s${at % 10}`,
    time: from + at,
    data: at,
  }))
}

test('a bulk write', async () => {
  await checkPath(95, (round) => put(samplesOf('bulk', NOW + round * 10_000)))
})

test('a statistic', async () => {
  await put(samplesOf('statistic', NOW))
  const path = '/api/comp/statistic/stream/s1/cycle/day/stat/avg/feed'
  await checkPath(108, () => send(['GET', path], { 'X-Api-Key': home.service.feedKey }))
})

test('the creation of a key', async () => {
  const { service } = home
  const cookie = await signIn(service, service.ownerEmail, service.ownerPassword)
  await checkPath(78, (round) => {
    const body = { api_key: { name: `key ${round}`, capabilities: [] } }
    return send(['PUT', '/api/api_key'], { ...JSON_TYPE, Cookie: cookie }, JSON.stringify(body))
  })
})

test('a webhook', async () => {
  const { service } = home
  await home.make('hook', VALUES_SQL)
  await checkPath(124, (round) => {
    const body = valuesBody('device', { s: 'a', x: round, t: NOW + round })
    const path = `/api/conn_sink/${service.orgUid}/hook`
    return send(['POST', path], { 'X-Api-Key': service.feedKey }, body)
  })
})

test('a write that creates a device', async () => {
  await checkPath(155, (round) => put(samplesOf(`device-${round}`, NOW).slice(0, 10)))
})
