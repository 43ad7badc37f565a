import { PAGE_LIMIT_MAX, Type } from '../../base/index.ts'
import { SEARCH_LENGTH_MAX } from '../../catalog/record/index.ts'
import { DEVICE_SORTS } from '../../feed/index.ts'
import { SILENT_FOR_MS_DEFAULT, SPARK_POINTS_MAX } from '../feed/read-device-query.ts'
import { EXAMPLE_UID, msOf, named, oneOf, orNull } from '../openapi/answer-schema.ts'

const text = (description: string) => Type.Optional(Type.String({ description }))

const silentForMs = Type.Optional(
  Type.Integer({
    minimum: 1,
    description: `Milliseconds without contact after which a device is silent. ${SILENT_FOR_MS_DEFAULT} by default`,
  }),
)

/** The parameter of the overview. */
export const overviewQuery = Type.Object({ silentForMs })

/** Parameters of the list of devices. */
export const deviceListQuery = Type.Object({
  start: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Number of devices to skip, 0 by default' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, description: `${PAGE_LIMIT_MAX} by default and at most` }),
  ),
  sort: Type.Optional(oneOf(DEVICE_SORTS, 'name by default. folder: by folder, then name')),
  order: Type.Optional(oneOf(['asc', 'desc'], 'asc by default')),
  silentForMs,
  silent: Type.Optional(
    Type.Boolean({ description: 'true: only silent devices. false: only the others' }),
  ),
  template: text('Only devices made from the template with this ID. Blank: from none'),
  folder: text('Only devices in this folder and its subfolders'),
  label: text('Only devices with a numeric stream that has this label: name=value, or name=value*'),
  text: Type.Optional(
    Type.String({
      maxLength: SEARCH_LENGTH_MAX,
      description: 'Only devices with all of these words in folder, name, or ID',
    }),
  ),
  sparkPoints: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: `Number of points of a sparkline of the last 24 hours, at most ${SPARK_POINTS_MAX}`,
    }),
  ),
})

const firingAlerts = Type.Record(Type.String(), Type.Integer(), {
  description: 'How many alerts fire, by severity',
})

/** An organization at a glance. */
export const overviewRecord = named(
  'Overview',
  {
    componentCount: Type.Integer(),
    streamCount: Type.Integer(),
    samplesPerMinute: Type.Integer({
      description: 'Samples received in the last minute. In a cluster, by the process that answers',
    }),
    silentCount: Type.Integer({ description: 'Number of silent devices' }),
    lastContact: orNull(msOf('When the service last received samples')),
    firingAlerts,
    addresses: Type.Array(Type.String(), {
      description:
        'URLs under which other machines reach the service. Empty: only this machine does',
    }),
  },
  {
    componentCount: 3,
    streamCount: 12,
    samplesPerMinute: 360,
    silentCount: 1,
    lastContact: 1767225600000,
    firingAlerts: {},
    addresses: ['http://192.168.1.20:8080'],
  },
)

/** A row of the list of devices. */
export const deviceRecord = named(
  'Device',
  {
    uid: Type.String(),
    id: Type.String(),
    name: Type.String(),
    folder: Type.String(),
    template: Type.String({ description: 'ID of its template, blank if it has none' }),
    lastContact: orNull(msOf('When the service last received samples of it')),
    silent: Type.Boolean({ description: 'Whether the last contact is too long ago' }),
    firingAlerts,
    mainValue: orNull(
      named('MainValue', {
        streamUid: Type.String(),
        streamId: Type.String(),
        streamName: Type.String(),
        unit: Type.String({ description: 'Symbol of the unit, blank without one' }),
        time: orNull(msOf('Time of the last sample')),
        data: Type.Union([Type.Number(), Type.String(), Type.Boolean(), Type.Null()], {
          description: 'Last value. Of a text the first 200 characters',
        }),
        fData: Type.String({ description: 'Last value with its unit' }),
      }),
    ),
    spark: Type.Optional(
      Type.Array(Type.Union([Type.Number(), Type.Null()]), {
        description: 'Means of equal parts of the last 24 hours. Absent without numbers',
      }),
    ),
  },
  {
    uid: EXAMPLE_UID,
    id: 'boiler',
    name: 'Boiler, cellar',
    folder: '/Components',
    template: 'boiler-template',
    lastContact: 1767225600000,
    silent: false,
    firingAlerts: {},
    mainValue: {
      streamUid: EXAMPLE_UID,
      streamId: 'temp',
      streamName: 'Temperature',
      unit: '°C',
      time: 1767225600000,
      data: 70.1,
      fData: '70.1°C',
    },
  },
)
