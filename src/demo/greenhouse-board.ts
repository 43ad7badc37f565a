import { type DemoClient, findComponent } from './demo-client.ts'

interface Place {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

interface Panel extends Place {
  readonly kind: string
  readonly title: string
  /** Component and stream IDs. */
  readonly of: ReadonlyArray<readonly [component: string, stream: string]>
  readonly options?: object
  /** Of a panel of alerts. */
  readonly alerts?: object
}

const at = (x: number, y: number, width: number, height: number): Place => ({ x, y, width, height })

const panels: readonly Panel[] = [
  {
    kind: 'chart',
    title: 'Temperature',
    ...at(0, 0, 8, 5),
    of: [
      ['north-house', 'temp'],
      ['south-house', 'temp'],
      ['weather', 'temp'],
    ],
  },
  {
    kind: 'gauge',
    title: 'Humidity, north',
    ...at(8, 0, 4, 3),
    of: [['north-house', 'humidity']],
    options: { min: 0, max: 100 },
  },
  { kind: 'value', title: 'Mode, north', ...at(8, 3, 4, 2), of: [['north-house', 'mode']] },
  {
    kind: 'chart',
    title: 'Soil',
    ...at(0, 5, 6, 5),
    of: [1, 2, 3, 4].map((bed) => ['beds', `bed-${bed}`] as const),
  },
  {
    kind: 'chart',
    title: 'Power',
    ...at(6, 5, 6, 5),
    of: [
      ['energy', 'solar'],
      ['energy', 'used'],
    ],
  },
  { kind: 'alerts', title: 'Alerts', ...at(0, 10, 12, 3), of: [], alerts: { state: 'ALL' } },
]

/** A board of the greenhouse, unless there is one; its UID. */
export async function seedBoard(client: DemoClient): Promise<string> {
  const { dashboard: boards } = (await client.call('GET', '/api/dashboard?limit=1000')) as {
    dashboard: ReadonlyArray<{ id: string; uid: string }>
  }
  const known = boards.find(({ id }) => id === 'greenhouse')
  if (known !== undefined) return known.uid
  const uids = await findStreams(client)
  const { dashboard } = (await client.call('PUT', '/api/dashboard', {
    dashboard: {
      id: 'greenhouse',
      name: 'Greenhouse',
      range: 'last-24h',
      panels: panels.map(({ of, ...panel }) => ({
        ...panel,
        streams: of.flatMap(([component, stream]) => uids.get(`${component} ${stream}`) ?? []),
      })),
    },
  })) as { dashboard: { uid: string } }
  return dashboard.uid
}

/** The components that panels name, looked up by their IDs: there may be very many others. */
async function findStreams(client: DemoClient) {
  const found = new Map<string, { componentUid: string; streamUid: string }>()
  for (const id of new Set(panels.flatMap(({ of }) => of.map(([component]) => component)))) {
    const component = await findComponent(client, id)
    if (component === undefined) continue
    const path = `/api/component/${component.uid}/stream?limit=1000`
    const { stream } = (await client.call('GET', path)) as {
      stream: ReadonlyArray<{ id: string; uid: string }>
    }
    for (const { id: streamId, uid: streamUid } of stream)
      found.set(`${id} ${streamId}`, { componentUid: component.uid, streamUid })
  }
  return found
}
