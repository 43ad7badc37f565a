/** Makes the greenhouse in an organization: units, template, components, a month of history, a board, and work on it. */
import { drawBed } from './bed-picture.ts'
import { type DemoClient, findComponent } from './demo-client.ts'
import { seedBoard } from './greenhouse-board.ts'
import {
  climateStreams,
  type DemoComponent,
  type DemoStream,
  type DemoValue,
  demoUnits,
  greenhouse,
} from './greenhouse-streams.ts'
import { seedWork } from './greenhouse-work.ts'

const DAY_MS = 86_400_000
const PICTURE_EVERY_MS = 6 * 3_600_000
const PICTURE_DAYS = 6
const ZONE = 'Europe/Berlin'

/** What a seeding may choose. */
interface Seeding {
  /** Until when history is made. */
  readonly nowMs: number
  /** How many days of it; 31 unless given. */
  readonly days?: number
}

/** Makes what is missing, and fills in what was missed since a demonstration ran here before; the UID of the board. */
export async function seedGreenhouse(client: DemoClient, seeding: Seeding): Promise<string> {
  const known = new Set<string>()
  for (const { id } of greenhouse)
    if ((await findComponent(client, id)) !== undefined) known.add(id)
  const missing = greenhouse.filter(({ id }) => !known.has(id))
  for (const one of greenhouse) if (known.has(one.id)) await seedMissed(client, one, seeding)
  if (missing.length === 0) return await seedBoard(client)
  const unitUids = await seedUnits(client)
  await seedTemplate(client, unitUids)
  for (const one of missing) {
    await client.call('PUT', '/api/component', { component: recordOf(one, unitUids) })
    await seedHistory(client, one, seeding)
  }
  await seedPictures(client, seeding.nowMs)
  const boardUid = await seedBoard(client)
  await seedWork(client)
  return boardUid
}

/** Samples missed while no demo ran, for at most as many days as the history has. */
async function seedMissed(client: DemoClient, component: DemoComponent, seeding: Seeding) {
  const latest = (await client.call(
    'GET',
    `/api/comp/${component.id}/last_value`,
  )) as ReadonlyArray<{
    time: number
  }>
  const last = Math.max(0, ...latest.map(({ time }) => time))
  const days = Math.min(seeding.days ?? 31, (seeding.nowMs - last) / DAY_MS)
  if (days > 0) await seedHistory(client, component, { ...seeding, days })
}

/** The UIDs of units by their IDs, with those that the greenhouse adds. */
async function seedUnits(client: DemoClient): Promise<ReadonlyMap<string, string>> {
  const list = async () =>
    (
      (await client.call('GET', '/api/unit?limit=1000')) as {
        unit: Array<{ id: string; uid: string }>
      }
    ).unit
  const known = new Set((await list()).map(({ id }) => id))
  for (const unit of demoUnits)
    if (!known.has(unit.id)) await client.call('PUT', '/api/unit', { unit })
  return new Map((await list()).map(({ id, uid }) => [id, uid]))
}

async function seedTemplate(client: DemoClient, unitUids: ReadonlyMap<string, string>) {
  const { component_template: templates } = (await client.call(
    'GET',
    '/api/component_template?limit=1000',
  )) as { component_template: ReadonlyArray<{ id: string }> }
  if (templates.some(({ id }) => id === 'climate-box')) return
  await client.call('PUT', '/api/component_template', {
    component_template: {
      id: 'climate-box',
      name: 'Climate box',
      timeZoneId: ZONE,
      description: 'Temperature, humidity, carbon dioxide, vent and mode of a house.',
      stream: climateStreams().map((stream) => streamRecordOf(stream, unitUids)),
    },
  })
}

function recordOf(component: DemoComponent, unitUids: ReadonlyMap<string, string>) {
  const { id, name, folder, description, streams } = component
  return {
    id,
    name,
    folder,
    description,
    timeZoneId: ZONE,
    stream: streams.map((stream) => streamRecordOf(stream, unitUids)),
  }
}

function streamRecordOf(stream: DemoStream, unitUids: ReadonlyMap<string, string>) {
  const { id, name, valueType, unitId, isHourly = false } = stream
  const uid = unitId === undefined ? undefined : unitUids.get(unitId)
  return {
    id,
    name,
    valueType,
    ...(uid === undefined ? {} : { unit: { uid } }),
    ...(isHourly ? { streamType: 'intvl_stream', baseCycle: 'hour', rollupMethod: 'sum' } : {}),
  }
}

async function seedHistory(client: DemoClient, component: DemoComponent, seeding: Seeding) {
  const { nowMs, days = 31 } = seeding
  // A day a call: none is long, and the service has time for others in between.
  for (let day = days; day > 0; day -= 1) {
    const range = { from: nowMs - day * DAY_MS, until: nowMs - Math.max(0, day - 1) * DAY_MS }
    const stream = component.streams
      .map((one) => ({ streamId: one.id, ...samplesOf(one, { ...range, nowMs }) }))
      .filter(({ time }) => time.length > 0)
    if (stream.length === 0) continue
    const feed = { component: [{ componentId: component.id, stream }] }
    await client.call('PUT', '/api/feed', { feed })
  }
}

/** The samples of a stream within a range. */
function samplesOf(
  { everyMs, onChange = false, valueAt }: DemoStream,
  { from, until, nowMs }: { readonly from: number; readonly until: number; readonly nowMs: number },
): { time: number[]; data: DemoValue[] } {
  const time: number[] = []
  const data: DemoValue[] = []
  if (valueAt === undefined) return { time, data }
  const first = Math.ceil(from / everyMs) * everyMs
  let before = onChange ? valueAt(first - everyMs, nowMs - first) : undefined
  for (let at = first; at < until; at += everyMs) {
    const value = valueAt(at, nowMs - at)
    if (value === undefined || (onChange && value === before)) continue
    time.push(at)
    data.push(value)
    before = value
  }
  return { time, data }
}

async function seedPictures(client: DemoClient, nowMs: number): Promise<void> {
  const last = Math.floor(nowMs / PICTURE_EVERY_MS) * PICTURE_EVERY_MS
  const count = (PICTURE_DAYS * DAY_MS) / PICTURE_EVERY_MS
  for (let back = count; back >= 0; back -= 1) {
    await putPicture(client, last - back * PICTURE_EVERY_MS, 12 + (count - back) / 4)
  }
}

async function putPicture(client: DemoClient, time: number, day: number): Promise<void> {
  // An hour and a half past what UTC says, so that each of the four differs in light.
  const hour = ((time + 9_000_000) % DAY_MS) / 3_600_000
  const form = new FormData()
  const bytes = new Uint8Array(drawBed(day, hour))
  form.set('file', new Blob([bytes], { type: 'image/png' }), 'bed.png')
  await client.call('PUT', `/api/comp/camera/stream/picture/feed/file/bed.png?time=${time}`, form)
}
