import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { DemoClient } from '../../src/demo/demo-client.ts'
import { greenhouse } from '../../src/demo/greenhouse-streams.ts'
import { putPresent } from '../../src/demo/live-greenhouse.ts'
import { seedGreenhouse } from '../../src/demo/seed-greenhouse.ts'
import { startService } from '../support/service.ts'
import { serviceOfFile } from '../support/service-of-file.ts'
import { eventually } from '../support/settle.ts'

const DAYS = 2
const DAY_MS = 86_400_000
/** Midnight in the greenhouse, so that both days are whole. */
const NOW = Date.UTC(2026, 5, 14, 23)
const service = serviceOfFile()
let client: DemoClient
before(async () => {
  const { url, ownerEmail: email, ownerPassword: password } = service
  client = await DemoClient.signIn({ url, email, password })
  await seedGreenhouse(client, { nowMs: NOW, days: DAYS })
})

interface Sample {
  readonly time: number
  readonly data: number | string | boolean
  readonly fData: string
}

async function samplesOf(component: string, stream: string): Promise<Sample[]> {
  const path = `/api/comp/${component}/stream/${stream}/feed?retFData&limit=1000`
  return (await client.call('GET', path)) as Sample[]
}

test('the greenhouse has components in folders, units, a template and a board', async () => {
  const { component } = (await client.call('GET', '/api/component')) as {
    component: Array<{ id: string; folder: string; streamCount: number }>
  }
  assert.equal(component.length, greenhouse.length)
  assert.ok(new Set(component.map(({ folder }) => folder)).size >= 3)
  const [latest] = await samplesOf('north-house', 'temp')
  assert.match(latest.fData, /^\d+\.?\d* ?°C$/)
  const { dashboard } = (await client.call('GET', '/api/dashboard')) as { dashboard: unknown[] }
  assert.equal(dashboard.length, 1)
  const { alert } = (await client.call('GET', '/api/alert')) as {
    alert: Array<{ streams: unknown[] }>
  }
  assert.deepEqual(
    alert.map(({ streams }) => streams.length),
    [2],
  )
})

test('among very many components the board finds its streams, under a rate limit too', async () => {
  const other = await startService({ settings: { WEIR_RATE_LIMITS: 'feed=5000/10s,admin=15/1s' } })
  try {
    const { url, ownerEmail: email, ownerPassword: password, feedKey } = other
    const samples = Array.from({ length: 1_200 }, (_, at) => ({
      compId: `a-${at}`,
      streamId: 'x',
      time: NOW,
      data: at,
    }))
    const fed = await fetch(`${url}/api/feed`, {
      method: 'PUT',
      headers: { 'X-Api-Key': feedKey, 'Content-Type': 'application/json' },
      body: JSON.stringify(samples),
    })
    assert.equal(fed.status, 200, await fed.text())
    const guest = await DemoClient.signIn({ url, email, password })
    await seedGreenhouse(guest, { nowMs: NOW, days: 1 })
    const { dashboard } = (await guest.call('GET', '/api/dashboard?id=greenhouse')) as {
      dashboard: Array<{ uid: string }>
    }
    const board = (await guest.call('GET', `/api/dashboard/${dashboard[0].uid}`)) as {
      dashboard: { panels: Array<{ streams: unknown[] }> }
    }
    const counts = board.dashboard.panels.map(({ streams }) => streams.length)
    assert.deepEqual(counts, [3, 1, 1, 4, 2, 0])
  } finally {
    await other.close()
  }
})

test('days are warmer than nights, vents open when it is warm, and every value is plausible', async () => {
  const path = '/api/comp/north-house/stream/temp/cycle/hour/stat/avg/feed?limit=48'
  const hours = (await client.call('GET', path)) as Sample[]
  assert.ok(hours.length >= 47, `${hours.length} hours`)
  const meanOf = (from: number, until: number) => {
    const chosen = hours.filter(({ time }) => {
      const hour = new Date(time).getUTCHours()
      return hour >= from && hour < until
    })
    return chosen.reduce((sum, { data }) => sum + Number(data), 0) / chosen.length
  }
  assert.ok(meanOf(11, 16) > meanOf(0, 4) + 1, `${meanOf(11, 16)} by day, ${meanOf(0, 4)} by night`)
  for (const [component, stream, low, high] of [
    ['north-house', 'humidity', 30, 99],
    ['north-house', 'co2', 300, 1_000],
    ['beds', 'bed-2', 15, 50],
    ['weather', 'wind', 0, 12],
    ['energy', 'solar', 0, 6],
  ] as const) {
    const found = await samplesOf(component, stream)
    assert.ok(found.length > 100, `${stream}: ${found.length}`)
    for (const { data } of found)
      assert.ok(Number(data) >= low && Number(data) <= high, `${stream} ${data}`)
  }
  const modes = (await samplesOf('north-house', 'mode')).map(({ data }) => data)
  assert.ok(new Set(modes).size >= 2, modes.join())
})

test('the greenhouse has a derived stream with its history, a query and a connector', async () => {
  await eventually(async () => {
    const dry = await samplesOf('north-house', 'dryness')
    assert.ok(dry.length >= 1_000, `${dry.length} derived`)
    for (const { data } of dry) assert.ok(Number(data) >= 0 && Number(data) < 4, `${data} kPa`)
  })
  const { query } = (await client.call('GET', '/api/query')) as { query: Array<{ uid: string }> }
  const range = `from=${NOW - DAY_MS}&until=${NOW}`
  const { rows } = (await client.call('GET', `/api/query/${query[0].uid}/results?${range}`)) as {
    rows: unknown[][]
  }
  assert.equal(rows.length, 3 * 24)
  const { connector } = (await client.call('GET', '/api/connector')) as { connector: unknown[] }
  assert.equal(connector.length, 1)
})

test('the camera has small pictures that are PNG', async () => {
  const pictures = await samplesOf('camera', 'picture')
  assert.ok(pictures.length >= 20, `${pictures.length}`)
  const { url, ownerEmail: email, ownerPassword: password } = service
  const login = await fetch(`${url}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  const { sessionUid } = (await login.json()) as { sessionUid: string }
  const path = '/api/comp/camera/stream/picture/feed/file/bed.png'
  const answer = await fetch(`${url}${path}?session=${sessionUid}`)
  const bytes = Buffer.from(await answer.arrayBuffer())
  assert.equal(bytes.subarray(1, 4).toString(), 'PNG')
  assert.ok(bytes.length < 8_000, `${bytes.length} bytes`)
})

test('a second seeding fills in what was missed and changes nothing else; live values go on', async () => {
  const [before] = await samplesOf('weather', 'temp')
  await seedGreenhouse(client, { nowMs: NOW + DAY_MS / 2, days: DAYS })
  const [filled] = await samplesOf('weather', 'temp')
  assert.ok(filled.time > before.time + DAY_MS / 3)
  const { totalCount } = (await client.call('GET', '/api/component')) as { totalCount: number }
  assert.equal(totalCount, greenhouse.length)
  const said = new Map()
  for (const seconds of [10, 12]) await putPresent(client, NOW + DAY_MS / 2 + seconds * 1_000, said)
  const [last, oneBefore] = await samplesOf('weather', 'temp')
  assert.equal(last.time - oneBefore.time, 2_000)
  const jump = Math.abs(Number(last.data) - Number(filled.data))
  assert.ok(jump < 1, `a jump of ${jump} °C from history to the present`)
})
