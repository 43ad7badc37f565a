/** Dashboards on their way between organizations: what a file of one looks like. */
import type { Static } from 'typebox'
import { refuse, Type } from '../../base/index.ts'
import {
  type DashboardBody,
  dashboardShape,
  PANEL_STREAMS_MAX,
  PANELS_MAX,
  type Panel,
  type PanelStream,
} from '../shape/dashboard-shape.ts'
import { refuseField, shapeCheck } from '../shape/record-checks.ts'

export const EXPORT_FORMAT = 'weir-dashboard'
export const EXPORT_VERSION = 1

/** As many streams as the panels of a board can name. */
const MAPPED_MAX = PANELS_MAX * PANEL_STREAMS_MAX

/** A stream of an exported board: by UIDs for the service it comes from, by IDs for others. */
export interface ExportedStream extends PanelStream {
  readonly componentId: string
  readonly streamId: string
}

/** A dashboard as a file keeps it. */
export interface ExportedDashboard extends Omit<DashboardBody, 'panels'> {
  readonly format: string
  readonly version: number
  readonly panels: readonly (Omit<Panel, 'streams'> & {
    readonly streams: readonly ExportedStream[]
  })[]
}

const exportedStream = Type.Object({
  componentUid: Type.Optional(Type.String()),
  streamUid: Type.Optional(Type.String()),
  componentId: Type.Optional(Type.String()),
  streamId: Type.Optional(Type.String()),
})

const { panels: panelsShape } = dashboardShape.properties
const panelShape = panelsShape.items

/** What a file may say: a dashboard whose streams have IDs, UIDs or both. */
export const exportShape = Type.Object({
  ...dashboardShape.properties,
  format: Type.String({ description: EXPORT_FORMAT }),
  version: Type.Integer({ description: `${EXPORT_VERSION}` }),
  panels: Type.Array(
    Type.Object({
      ...panelShape.properties,
      streams: Type.Optional(Type.Array(exportedStream, { maxItems: PANEL_STREAMS_MAX })),
    }),
    { maxItems: PANELS_MAX },
  ),
})

/** Which stream of the organization stands for one of the file. */
export const mapShape = Type.Array(
  Type.Object({
    componentId: Type.String(),
    streamId: Type.String(),
    componentUid: Type.String(),
    streamUid: Type.String(),
  }),
  { maxItems: MAPPED_MAX },
)

/** What is to be imported, and how. */
export interface ImportRequest {
  readonly dashboard: Omit<Static<typeof exportShape>, 'panels'> & {
    readonly panels: readonly (Omit<Static<typeof exportShape>['panels'][number], 'streams'> & {
      readonly streams?: readonly ExportedStream[]
    })[]
  }
  /** By the IDs of the file. */
  readonly map: ReadonlyMap<string, PanelStream>
  /** Whether this is a dry run: only missing records are listed. */
  readonly isTrial: boolean
}

const checkExport = shapeCheck('dashboard', exportShape)
const checkOptions = shapeCheck(
  'import',
  Type.Object({ map: Type.Optional(mapShape), isTrial: Type.Optional(Type.Boolean()) }),
)

/** Reads an order to import; refuses a file of another kind or of a later version, and names the wrong field. */
export function readImport(input: unknown): ImportRequest {
  const { dashboard, ...options } = (input ?? {}) as { dashboard?: unknown }
  const { format, version } = (dashboard ?? {}) as { format?: unknown; version?: unknown }
  if (format !== EXPORT_FORMAT) {
    refuse('bad_input', {
      what: `dashboard.format must be "${EXPORT_FORMAT}". Import the response of GET /api/dashboard/{uid}/export`,
    })
  }
  if (typeof version === 'number' && version > EXPORT_VERSION) {
    refuseField(
      'dashboard.version',
      `${version} is later than this service reads: ${EXPORT_VERSION}`,
    )
  }
  checkExport(dashboard)
  checkOptions(options)
  const { map = [], isTrial = false } = options as {
    map?: Static<typeof mapShape>
    isTrial?: boolean
  }
  const file = dashboard as Static<typeof exportShape>
  const panels = file.panels.map((panel) => ({ ...panel, streams: panel.streams?.map(withBlanks) }))
  const mapped = map.map((one): [string, PanelStream] => [textOfIds(one), one])
  return { dashboard: { ...file, panels }, map: new Map(mapped), isTrial }
}

/** The IDs of a stream as one text, by which it is mapped. */
export function textOfIds({
  componentId,
  streamId,
}: Pick<ExportedStream, 'componentId' | 'streamId'>): string {
  return JSON.stringify([componentId, streamId])
}

function withBlanks(stream: Static<typeof exportedStream>): ExportedStream {
  const { componentUid = '', streamUid = '', componentId = '', streamId = '' } = stream
  return { componentUid, streamUid, componentId, streamId }
}
