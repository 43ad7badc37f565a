/** What people make of the samples of the greenhouse: a derived stream, a query, an alert, a connector. */
import { type DemoClient, findComponent } from './demo-client.ts'

/** How much water the air can still take up, kPa. */
const DRYNESS = {
  id: 'dryness',
  name: 'Vapor pressure deficit',
  derivation: {
    expression: 'round(0.6108 * exp(17.27 * temp / (temp + 237.3)) * (1 - humidity / 100), 2)',
    variables: [
      { name: 'temp', streamId: 'temp' },
      { name: 'humidity', streamId: 'humidity' },
    ],
  },
}

const WARMTH = {
  id: 'warmth',
  name: 'Hourly temperatures',
  timeZoneId: 'Europe/Berlin',
  sql: `-- Hourly mean temperature of both houses and outdoors
SELECT timeSd AS time, cname, round(sample, 1) AS temperature
FROM SAMPLE(cycleId = 'hour', stat = 'avg', Range(sd = @FROM, ed = @UNTIL))
WHERE id = 'temp'
ORDER BY timeSd`,
}

const WARM = {
  id: 'warm',
  name: 'House too warm',
  streams: ['north-house', 'south-house'].map((componentId) => ({ componentId, streamId: 'temp' })),
  condition: 'value > 24',
  clearCondition: 'value < 23',
  forMs: 600_000,
  message: '{component} has {value} °C. Open the vents',
}

const PROBES = {
  id: 'probes',
  name: 'Soil probes',
  description: 'Radio probes send JSON to the webhook.',
  procs: [
    {
      timeZoneId: 'Europe/Berlin',
      sql: `INSERT OR REPLACE INTO SAMPLE(CID, ID, SAMPLE)
SELECT probe, 'moisture', moisture FROM JSON_TABLE(@HTTP_BODY)
WITH (probe String '$.probe', moisture Double '$.moisture')`,
    },
  ],
}

/** Makes them, unless they are there. */
export async function seedWork(client: DemoClient): Promise<void> {
  await seedDerived(client)
  if (!(await isThere(client, 'query', WARMTH.id))) {
    await client.call('PUT', '/api/query', { query: WARMTH })
  }
  await seedRunning(client, 'alert', WARM)
  await seedRunning(client, 'connector', PROBES)
}

/** Makes a record that works for the user of the demo, unless it is there. */
async function seedRunning(
  client: DemoClient,
  noun: 'alert' | 'connector',
  record: { readonly id: string },
): Promise<void> {
  if (await isThere(client, noun, record.id)) return
  const made = (await client.call('GET', `/api/${noun}/new`)) as Record<
    string,
    { readonly runningUser: { readonly uid: string } }
  >
  const { uid } = made[noun].runningUser
  await client.call('PUT', `/api/${noun}`, { [noun]: { ...record, runningUser: { uid } } })
}

async function seedDerived(client: DemoClient): Promise<void> {
  const north = await findComponent(client, 'north-house')
  if (north === undefined) return
  const path = `/api/component/${north.uid}/stream`
  const { stream: known } = (await client.call('GET', path)) as {
    stream: ReadonlyArray<{ readonly id: string }>
  }
  if (known.some(({ id }) => id === DRYNESS.id)) return
  const { stream } = (await client.call('PUT', path, { stream: DRYNESS })) as {
    stream: { readonly uid: string }
  }
  await client.call('POST', `${path}/${stream.uid}/derive`, {})
}

async function isThere(client: DemoClient, noun: string, id: string): Promise<boolean> {
  const found = (await client.call('GET', `/api/${noun}?limit=1000`)) as Record<
    string,
    ReadonlyArray<{ readonly id: string }>
  >
  return found[noun].some((one) => one.id === id)
}
