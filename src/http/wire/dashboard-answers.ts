/** Dashboards and previews of cycles as they are answered. */

import { Type } from '../../base/index.ts'
import {
  ALERT_PANEL_STATES,
  PANEL_KINDS,
  QUERY_VIEWS,
  THRESHOLD_COLORS,
} from '../../catalog/shape/index.ts'
import { answerWith, EXAMPLE_UID, msOf, named, oneOf, orNull } from '../openapi/answer-schema.ts'

const panelStream = named(
  'PanelStream',
  {
    componentUid: Type.String(),
    streamUid: Type.String(),
    label: Type.Optional(Type.String({ description: 'Label given by the author' })),
  },
  { componentUid: EXAMPLE_UID, streamUid: EXAMPLE_UID },
)

const STREAM_EXAMPLE = {
  componentUid: EXAMPLE_UID,
  streamUid: EXAMPLE_UID,
  componentId: 'boiler',
  streamId: 'temp',
}

/** A stream of an exported board; its IDs are blank where the caller may not see them. */
const exportedStream = named(
  'ExportedPanelStream',
  {
    componentUid: Type.String(),
    streamUid: Type.String(),
    componentId: Type.String(),
    streamId: Type.String(),
  },
  STREAM_EXAMPLE,
)

const panelFields = {
  kind: oneOf(PANEL_KINDS),
  title: Type.String(),
  x: Type.Integer({ description: 'First of 12 columns' }),
  y: Type.Integer({ description: 'First row' }),
  width: Type.Integer(),
  height: Type.Integer(),
  range: Type.String({ description: 'Blank: same as the board' }),
  text: Type.String(),
  options: named('PanelOptions', {
    min: orNull(Type.Number()),
    max: orNull(Type.Number()),
    cycleId: Type.String(),
    stat: Type.String(),
    rows: Type.Integer(),
    timeZoneId: Type.String(),
    decimals: Type.Optional(
      Type.Integer({ description: 'Absent: as the unit or the samples have' }),
    ),
    thresholds: Type.Optional(
      Type.Array(Type.Object({ value: Type.Number(), color: oneOf(THRESHOLD_COLORS) }), {
        description: 'Values from which on a color applies, in ascending order',
      }),
    ),
  }),
  query: Type.Optional(
    Type.Object(
      { uid: Type.String(), view: oneOf(QUERY_VIEWS) },
      { description: 'Query panels only: the saved query and how its rows are shown' },
    ),
  ),
  alerts: Type.Optional(
    Type.Object(
      {
        state: oneOf(ALERT_PANEL_STATES),
        template: Type.String({ description: 'Template ID of the components. Blank: all' }),
        folder: Type.String({ description: 'Folder of the components. Blank: all' }),
        label: Type.String({ description: 'Label of the components. Blank: all' }),
      },
      { description: 'Panels of alerts only: which alerts are listed' },
    ),
  ),
}

const panelExample = {
  kind: 'chart',
  title: 'Boiler',
  x: 0,
  y: 0,
  width: 6,
  height: 4,
  streams: [{ componentUid: EXAMPLE_UID, streamUid: EXAMPLE_UID }],
  range: '',
  text: '',
  options: { min: null, max: null, cycleId: '', stat: '', rows: 20, timeZoneId: '' },
}

const boardVariable = Type.Optional(
  named(
    'BoardVariable',
    {
      componentUid: Type.String({ description: 'Component whose streams are replaced' }),
      template: Type.String({ description: 'Template ID of the choices. Blank: all' }),
      folder: Type.String({ description: 'Folder of the choices. Blank: all' }),
      label: Type.String({ description: 'Label of the choices, such as site=north. Blank: all' }),
    },
    { componentUid: EXAMPLE_UID, template: 'boiler', folder: '', label: '' },
  ),
)

const boardFields = {
  id: Type.String({ description: 'Chosen by users, optional' }),
  name: Type.String(),
  description: Type.String(),
  range: Type.String({ description: 'Time range of panels without their own' }),
  variable: boardVariable,
}

const boardExample = { id: 'cellar', name: 'Cellar', description: '', range: 'last-24h' }
const recordExample = {
  uid: EXAMPLE_UID,
  ...boardExample,
  panelCount: 1,
  panels: [panelExample],
  revision: 1,
}

/** A dashboard; lists leave its panels out. */
export const dashboardRecord = named(
  'Dashboard',
  {
    uid: Type.String({ description: 'Blank before the record is saved' }),
    ...boardFields,
    panelCount: Type.Integer(),
    panels: Type.Optional(
      Type.Array(
        named('Panel', { ...panelFields, streams: Type.Array(panelStream) }, panelExample),
        {
          description: 'Not in lists',
        },
      ),
    ),
    revision: Type.Integer({ description: 'Number of changes' }),
  },
  recordExample,
)

/** A dashboard as a file keeps it. */
export const exportedDashboard = named(
  'ExportedDashboard',
  {
    format: Type.Literal('weir-dashboard'),
    version: Type.Integer(),
    ...boardFields,
    panels: Type.Array(
      named('ExportedPanel', { ...panelFields, streams: Type.Array(exportedStream) }),
    ),
  },
  {
    format: 'weir-dashboard',
    version: 1,
    ...boardExample,
    panels: [{ ...panelExample, streams: [STREAM_EXAMPLE] }],
  },
)

/** What an import made, and what it did not find. */
export const importAnswer = answerWith(
  'ImportAnswer',
  {
    dashboard: dashboardRecord,
    missing: Type.Array(exportedStream, {
      description: 'Streams of the file that do not exist here. Omitted from the panels',
    }),
    totalCount: Type.Integer(),
  },
  { dashboard: recordExample, missing: [STREAM_EXAMPLE], totalCount: 1 },
)

/** The next periods of a cycle. */
export const cyclePreviewAnswer = answerWith(
  'CyclePreviewAnswer',
  {
    period: Type.Array(
      named('LocalPeriod', {
        from: msOf('Start'),
        until: msOf('End (exclusive)'),
        localFrom: Type.String({ description: 'With the UTC offset of the zone' }),
        localUntil: Type.String(),
      }),
    ),
    timeZoneId: Type.String({ description: 'Time zone of the local times' }),
    totalCount: Type.Integer(),
  },
  {
    period: [
      {
        from: 1774652400000,
        until: 1774738800000,
        localFrom: '2026-03-28T00:00:00+01:00',
        localUntil: '2026-03-29T00:00:00+01:00',
      },
    ],
    timeZoneId: 'Europe/Berlin',
    totalCount: 1,
  },
)
