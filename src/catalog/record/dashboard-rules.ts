import type { Static } from 'typebox'
import { ID_LENGTH_MAX } from '../../base/index.ts'
import type { StreamIndex } from '../index/stream-index.ts'
import {
  type BoardVariable,
  checkRange,
  DASHBOARD_BYTES_MAX,
  type DashboardBody,
  dashboardShape,
  GRID_COLUMNS,
  LABEL_LENGTH_MAX,
  type Panel,
  type PanelStream,
} from '../shape/dashboard-shape.ts'
import { readFolder } from '../shape/folder-path.ts'
import {
  checkText,
  DESCRIPTION_LENGTH_MAX,
  NAME_LENGTH_MAX,
  readTimeZoneField,
  refuseField,
  shapeCheck,
} from '../shape/record-checks.ts'
import { readLabel } from './search-streams.ts'
import type { RecordRules } from './simple-records.ts'

type DashboardInput = Static<typeof dashboardShape>
type PanelInput = NonNullable<DashboardInput['panels']>[number]

/** What panels show unless they say otherwise. */
const DEFAULT_RANGE = 'last-24h'
const DEFAULT_ROWS = 20
/** Longer than the name of every statistic. */
const STAT_LENGTH_MAX = 64

/** The rules of dashboards; the index reports which streams the organization has. */
export function dashboardRules(index: StreamIndex): RecordRules<DashboardBody> {
  return {
    kind: 'dashboard',
    check: shapeCheck('dashboard', dashboardShape),
    read: (input, before, orgUid) => readDashboard(input, { before, index, orgUid }),
    defaults: { id: '', name: '', description: '', range: DEFAULT_RANGE, panels: [] },
  }
}

interface Surroundings {
  readonly before: DashboardBody
  readonly index: StreamIndex
  readonly orgUid: string
}

function readDashboard(input: DashboardInput, around: Surroundings): DashboardBody {
  const { before } = around
  const id = input.id ?? before.id
  const name = input.name ?? (before.name || id)
  const description = input.description ?? before.description
  const range = input.range || before.range
  checkText('dashboard.name', name, NAME_LENGTH_MAX)
  checkText('dashboard.description', description, DESCRIPTION_LENGTH_MAX)
  if (range !== before.range) checkRange('dashboard.range', range)
  const panels = input.panels === undefined ? before.panels : readPanels(input.panels, around)
  const variable = readVariable(input.variable, before.variable, panels)
  const body = {
    id,
    name,
    description,
    range,
    panels,
    ...(variable === undefined ? {} : { variable }),
  }
  const bytes = Buffer.byteLength(JSON.stringify(body))
  if (bytes > DASHBOARD_BYTES_MAX) {
    refuseField('dashboard', `has ${bytes} bytes as JSON: at most ${DASHBOARD_BYTES_MAX}`)
  }
  return body
}

/** The variable of a board; its component is one that a panel shows, so that callers may know of it. */
function readVariable(
  input: DashboardInput['variable'],
  before: BoardVariable | undefined,
  panels: readonly Panel[],
): BoardVariable | undefined {
  if (input === null) return undefined
  if (input === undefined) return before
  const { componentUid } = input
  const filters = readFilters('dashboard.variable', input)
  const isShown = panels.some(({ streams }) =>
    streams.some((stream) => stream.componentUid === componentUid),
  )
  if (!isShown) {
    const shown = componentUid.slice(0, 40)
    refuseField(
      'dashboard.variable.componentUid',
      `"${shown}" is not a component of this board. Set it to the component of a stream in a panel`,
    )
  }
  return { componentUid, ...filters }
}

function readPanels(inputs: readonly PanelInput[], around: Surroundings): Panel[] {
  // A stream that was deleted stays on the board until somebody takes it off: no save fails for it.
  const before = around.before.panels.flatMap(({ streams }) => streams)
  const known = new Map(before.map((stream) => [textOf(stream), stream.label]))
  return inputs.map((input, at) => {
    const field = `dashboard.panels[${at}]`
    const panel = readPanel(field, input)
    for (const [place, stream] of panel.streams.entries()) {
      if (known.has(textOf(stream)) || isStreamOf(around, stream)) continue
      refuseNoStream(`${field}.streams[${place}]`, stream)
    }
    return { ...panel, streams: panel.streams.map((stream) => withLabel(stream, known)) }
  })
}

/** Refuses a stream that is not there, or that the caller may not know of. */
export function refuseNoStream(field: string, stream: PanelStream): never {
  const shown = `${stream.componentUid.slice(0, 40)} / ${stream.streamUid.slice(0, 40)}`
  refuseField(field, `${shown} is not a stream of this organization`)
}

/** What a stream was called stays known where nobody says otherwise. */
function withLabel(
  { label: given, ...stream }: PanelStream,
  known: ReadonlyMap<string, string | undefined>,
): PanelStream {
  const label = given ?? known.get(textOf(stream)) ?? ''
  return label === '' ? stream : { ...stream, label }
}

function readPanel(field: string, input: PanelInput): Panel {
  const { kind, title = '', x, y, width, height, range = '', text = '', options = {} } = input
  if (x + width > GRID_COLUMNS) {
    refuseField(`${field}.width`, `${width} is too wide. There are ${GRID_COLUMNS} columns`)
  }
  checkText(`${field}.title`, title, NAME_LENGTH_MAX)
  checkText(`${field}.text`, text, DESCRIPTION_LENGTH_MAX)
  checkRange(`${field}.range`, range)
  const { min = null, max = null, cycleId = '', stat = '', rows = DEFAULT_ROWS } = options
  if (min !== null && max !== null && min >= max) {
    refuseField(`${field}.options.max`, `${max} must be greater than min, which is ${min}`)
  }
  checkText(`${field}.options.cycleId`, cycleId, ID_LENGTH_MAX)
  checkText(`${field}.options.stat`, stat, STAT_LENGTH_MAX)
  const zone = options.timeZoneId ?? ''
  const timeZoneId = zone === '' ? '' : readTimeZoneField(`${field}.options.timeZoneId`, zone)
  const streams = (input.streams ?? []).map(({ componentUid, streamUid, label }, place) => {
    if (label !== undefined) {
      checkText(`${field}.streams[${place}].label`, label, LABEL_LENGTH_MAX)
    }
    return { componentUid, streamUid, label }
  })
  const settled = {
    min,
    max,
    cycleId,
    stat,
    rows,
    timeZoneId,
    ...readLook(`${field}.options`, options),
  }
  const panel = { kind, title, x, y, width, height, streams, range, text, options: settled }
  if (kind === 'query') return { ...panel, query: readQuery(`${field}.query`, input) }
  return kind === 'alerts' ? { ...panel, alerts: readAlerts(`${field}.alerts`, input) } : panel
}

/** Decimals and thresholds, where a panel has some. */
function readLook(
  field: string,
  { decimals, thresholds = [] }: NonNullable<PanelInput['options']>,
): Pick<Panel['options'], 'decimals' | 'thresholds'> {
  for (const [at, { value }] of thresholds.entries()) {
    const before = thresholds[at - 1]
    if (before === undefined || value > before.value) continue
    refuseField(
      `${field}.thresholds[${at}].value`,
      `${value} must be greater than ${before.value}, the threshold before it`,
    )
  }
  return {
    ...(decimals === undefined || decimals === null ? {} : { decimals }),
    ...(thresholds.length === 0 ? {} : { thresholds }),
  }
}

/** Which alerts a panel lists. */
function readAlerts(field: string, { alerts = {} }: PanelInput): NonNullable<Panel['alerts']> {
  return { state: alerts.state ?? 'FIRING', ...readFilters(field, alerts) }
}

type Filters = Pick<BoardVariable, 'template' | 'folder' | 'label'>

/** Filters of components, as `GET /api/device` takes them. */
function readFilters(
  field: string,
  { template = '', folder = '', label = '' }: Partial<Filters>,
): Filters {
  for (const [name, text] of Object.entries({ template, folder, label })) {
    checkText(`${field}.${name}`, text, NAME_LENGTH_MAX)
  }
  if (folder !== '') readFolder(`${field}.folder`, folder)
  if (label !== '') readLabel(label, `${field}.label`)
  return { template, folder, label }
}

/** The query of a panel; one that was deleted stays until somebody takes the panel off, as streams do. */
function readQuery(field: string, { query }: PanelInput): NonNullable<Panel['query']> {
  const { uid = '', view = 'table' } = query ?? {}
  if (uid === '') refuseField(`${field}.uid`, 'is missing. Set it to the UID of a saved query')
  checkText(`${field}.uid`, uid, ID_LENGTH_MAX)
  return { uid, view }
}

function isStreamOf({ index, orgUid }: Surroundings, stream: PanelStream): boolean {
  const handle = index.streamByUid(orgUid, stream.streamUid)
  return handle !== 0 && index.componentOf(handle).uid === stream.componentUid
}

function textOf({ componentUid, streamUid }: PanelStream): string {
  return `${componentUid}/${streamUid}`
}
