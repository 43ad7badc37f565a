import { Type } from '../../base/index.ts'
import {
  DESCRIPTION_LENGTH_MAX,
  descriptionShape,
  idShape,
  nameShape,
  refuseField,
  revisionShape,
} from './record-checks.ts'

/** What a panel shows. */
export const PANEL_KINDS = ['chart', 'gauge', 'value', 'table', 'text', 'query', 'alerts'] as const
type PanelKind = (typeof PANEL_KINDS)[number]

/** The columns of the grid: halves, thirds and quarters are whole numbers of them. */
export const GRID_COLUMNS = 12
/** Rows of the grid: a hundred panels below each other, each as high as panels get, have room. */
const GRID_ROWS_MAX = 5_000
const PANEL_ROWS_MAX = 50
/** More panels than anyone looks at, and few enough to be asked for at once. */
export const PANELS_MAX = 100
/** The lines that a chart can distinguish are fewer. */
export const PANEL_STREAMS_MAX = 20
/** A list of boards reads whole records: a thousand of these still fit in memory. */
export const DASHBOARD_BYTES_MAX = 100_000
const TABLE_ROWS_MAX = 1_000
/** A value with more digits behind the point is not read by anyone. */
const DECIMALS_MAX = 10
/** More levels than colors would look the same. */
const THRESHOLDS_MAX = 10
/** Enough to know a stream by; a board may name two thousand. */
export const LABEL_LENGTH_MAX = 200

const WORDS: ReadonlySet<string> = new Set([
  '',
  'today',
  'yesterday',
  'this-week',
  'last-week',
  'this-month',
  'last-month',
  'this-year',
  'last-year',
])
const LENGTH = /^last-[1-9]\d{0,4}(?:min|h|d|w|mo|y)$/
const FIXED = /^-?\d{1,14}\.\.-?\d{1,14}$/

const streamShape = Type.Object({
  componentUid: Type.String(),
  streamUid: Type.String(),
  label: Type.Optional(
    Type.String({
      maxLength: LABEL_LENGTH_MAX,
      description: 'What it is called, for when it is deleted; kept where it is left out',
    }),
  ),
})

/** The colors of thresholds; a page shows each in a tone that its theme has. */
export const THRESHOLD_COLORS = ['green', 'blue', 'yellow', 'orange', 'red'] as const

const thresholdShape = Type.Object({
  value: Type.Number(),
  color: Type.Enum([...THRESHOLD_COLORS]),
})

const optionsShape = Type.Object({
  min: Type.Optional(Type.Union([Type.Null(), Type.Number()])),
  max: Type.Optional(Type.Union([Type.Null(), Type.Number()])),
  cycleId: Type.Optional(
    Type.String({ description: 'The periods that are shown; blank: samples, as they fit' }),
  ),
  stat: Type.Optional(Type.String({ description: 'The statistic of these periods' })),
  rows: Type.Optional(
    Type.Integer({ minimum: 1, maximum: TABLE_ROWS_MAX, description: 'Of a table' }),
  ),
  timeZoneId: Type.Optional(Type.String({ description: "Blank: the component's" })),
  decimals: Type.Optional(
    Type.Union([Type.Null(), Type.Integer({ minimum: 0, maximum: DECIMALS_MAX })], {
      description: 'Digits behind the point; null: as the unit or the samples have',
    }),
  ),
  thresholds: Type.Optional(
    Type.Array(thresholdShape, {
      maxItems: THRESHOLDS_MAX,
      description: 'Values from which on a color applies, in ascending order',
    }),
  ),
})

/** How a panel shows the rows of a query. */
export const QUERY_VIEWS = ['table', 'chart'] as const

const queryShape = Type.Object({
  uid: Type.String({
    description: 'Of a saved query, which each who looks runs with their own rights',
  }),
  view: Type.Optional(Type.Enum([...QUERY_VIEWS])),
})

/** Which alerts a panel lists. */
export const ALERT_PANEL_STATES = ['FIRING', 'ALL'] as const

const alertsShape = Type.Object({
  state: Type.Optional(
    Type.Enum([...ALERT_PANEL_STATES], {
      description: 'FIRING: where alerts fire. ALL: pending and other alerts, too',
    }),
  ),
  template: Type.Optional(Type.String({ description: 'ID of the template of the components' })),
  folder: Type.Optional(Type.String({ description: 'Folder of the components' })),
  label: Type.Optional(Type.String({ description: 'Label of the components, such as site=north' })),
})

const panelShape = Type.Object({
  kind: Type.Enum([...PANEL_KINDS]),
  title: nameShape,
  x: Type.Integer({ minimum: 0, maximum: GRID_COLUMNS - 1, description: 'Its first column' }),
  y: Type.Integer({ minimum: 0, maximum: GRID_ROWS_MAX, description: 'Its first row' }),
  width: Type.Integer({ minimum: 1, maximum: GRID_COLUMNS, description: 'In columns' }),
  height: Type.Integer({ minimum: 1, maximum: PANEL_ROWS_MAX, description: 'In rows' }),
  streams: Type.Optional(Type.Array(streamShape, { maxItems: PANEL_STREAMS_MAX })),
  range: Type.Optional(
    Type.String({
      description:
        'Blank: as the board; today, yesterday, this-week, last-24h (min, h, d, w, mo, y) or from..until in epoch ms',
    }),
  ),
  text: Type.Optional(
    Type.String({ maxLength: DESCRIPTION_LENGTH_MAX, description: 'Of a text panel' }),
  ),
  options: Type.Optional(optionsShape),
  query: Type.Optional(queryShape),
  alerts: Type.Optional(alertsShape),
})

const variableShape = Type.Object(
  {
    componentUid: Type.String({ description: 'The component whose streams are replaced' }),
    template: Type.Optional(Type.String({ description: 'ID of the template of its choices' })),
    folder: Type.Optional(Type.String({ description: 'Folder of its choices' })),
    label: Type.Optional(Type.String({ description: 'Label of its choices, such as site=north' })),
  },
  {
    description:
      'Shows the board for other components: streams of one component are replaced by those with the same IDs',
  },
)

/** What a caller may say about a dashboard; its panels are replaced as a whole. */
export const dashboardShape = Type.Object({
  id: idShape('Unique in the organization, may be blank'),
  name: nameShape,
  description: descriptionShape,
  range: Type.Optional(Type.String({ description: 'Of the panels that have none of their own' })),
  panels: Type.Optional(Type.Array(panelShape, { maxItems: PANELS_MAX })),
  variable: Type.Optional(Type.Union([Type.Null(), variableShape], { description: 'Null: none' })),
  revision: revisionShape,
})

/** The stream that a panel shows, by UIDs of its organization. */
export interface PanelStream {
  readonly componentUid: string
  readonly streamUid: string
  /** What the author calls it; reported where the stream is deleted. */
  readonly label?: string
}

/** From a value on, a color applies. */
interface Threshold {
  readonly value: number
  readonly color: (typeof THRESHOLD_COLORS)[number]
}

/** One panel as the catalog keeps it. */
export interface Panel {
  readonly kind: PanelKind
  readonly title: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly streams: readonly PanelStream[]
  readonly range: string
  readonly text: string
  readonly options: {
    readonly min: number | null
    readonly max: number | null
    readonly cycleId: string
    readonly stat: string
    readonly rows: number
    readonly timeZoneId: string
    /** Absent: as the unit or the samples have. */
    readonly decimals?: number
    /** Absent without any. */
    readonly thresholds?: readonly Threshold[]
  }
  /** Of a query panel; others have none. */
  readonly query?: { readonly uid: string; readonly view: (typeof QUERY_VIEWS)[number] }
  /** Of a panel of alerts; others have none. Blank filters leave no component out. */
  readonly alerts?: {
    readonly state: (typeof ALERT_PANEL_STATES)[number]
    readonly template: string
    readonly folder: string
    readonly label: string
  }
}

/** A board that serves many components: one of its components stands for those of a choice. */
export interface BoardVariable {
  /** The component whose streams are replaced by those of the chosen one, by their IDs. */
  readonly componentUid: string
  /** The choices, as `GET /api/device` filters them; blank: all. */
  readonly template: string
  readonly folder: string
  readonly label: string
}

/** A dashboard as the catalog keeps it. */
export type DashboardBody = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly range: string
  readonly panels: readonly Panel[]
  /** Absent without one. */
  readonly variable?: BoardVariable
}

/** Refuses what is no range of time in the words of dashboards; blank is one. */
export function checkRange(field: string, range: string): void {
  if (WORDS.has(range) || LENGTH.test(range)) return
  if (FIXED.test(range)) {
    const [from, until] = range.split('..').map(Number)
    if (from < until) return
    refuseField(field, `"${range}" must begin before it ends`)
  }
  const shown = range.slice(0, 60)
  refuseField(
    field,
    `"${shown}" is not a range. Write today, yesterday, this-week, last-24h, or from..until in epoch milliseconds`,
  )
}
