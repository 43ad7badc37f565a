/** How many source files a call executes: paths that are too long are found here. */
import assert from 'node:assert/strict'
import { Agent, type IncomingMessage, request } from 'node:http'
import { Session } from 'node:inspector/promises'
import { after, before, test } from 'node:test'
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

/** The source files that run on the main thread while a call is served. */
async function filesOf(call: () => Promise<unknown>): Promise<string[]> {
  await profiler.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await call()
  const { result } = await profiler.post('Profiler.takePreciseCoverage')
  await profiler.post('Profiler.stopPreciseCoverage')
  return result
    .filter(({ url, functions }) => {
      return url.includes('/src/') && functions.some(({ ranges }) => ranges[0].count > 0)
    })
    .map(({ url }) => url.slice(url.indexOf('/src/')))
}

/**
 * Checks how many files all calls of a kind execute. Timers of the service run beside some of them, so calls
 * are made until what they have in common is within the ceiling, or until there were enough.
 */
async function checkPath(
  ceiling: number,
  call: (round: number) => Promise<number | undefined>,
): Promise<void> {
  assert.equal(await call(0), 200, 'a call that warms up')
  let common: string[] | undefined
  for (let round = 1; round <= ROUNDS_MAX && (common?.length ?? ceiling + 1) > ceiling; round++) {
    const files = await filesOf(async () => assert.equal(await call(round), 200, `call ${round}`))
    common = common?.filter((file) => files.includes(file)) ?? files
  }
  const path = common?.sort() ?? []
  assert.ok(path.includes('/src/http/table/serve-operation.ts'), 'the profiler saw the call')
  const message = `${path.length} files, at most ${ceiling}:\n${path.join('\n')}`
  assert.ok(path.length <= ceiling, message)
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
  await checkPath(96, (round) => put(samplesOf('bulk', NOW + round * 10_000)))
})

test('a statistic', async () => {
  await put(samplesOf('statistic', NOW))
  const path = '/api/comp/statistic/stream/s1/cycle/day/stat/avg/feed'
  await checkPath(109, () => send(['GET', path], { 'X-Api-Key': home.service.feedKey }))
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
  await checkPath(127, (round) => {
    const body = valuesBody('device', { s: 'a', x: round, t: NOW + round })
    const path = `/api/conn_sink/${service.orgUid}/hook`
    return send(['POST', path], { 'X-Api-Key': service.feedKey }, body)
  })
})

test('a write that creates a device', async () => {
  await checkPath(161, (round) => put(samplesOf(`device-${round}`, NOW).slice(0, 10)))
})
