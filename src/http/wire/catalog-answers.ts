/** The records of the catalog as they are answered. */

import { Type } from '../../base/index.ts'
import { STATISTIC_IDS, STREAM_TYPES, VALUE_TYPES } from '../../catalog/shape/index.ts'
import { SIZE_TYPES } from '../../time/index.ts'
import { EXAMPLE_UID, msOf, named, oneOf, orNull } from '../openapi/answer-schema.ts'

const uid = Type.String({
  description: 'Assigned by the service, blank before the record is saved',
})
const id = Type.String({ description: 'Chosen by users, optional' })
const name = Type.String()
const description = Type.String()
const revision = Type.Integer({ description: 'Number of changes' })
const location = orNull(
  named('Location', {
    latitude: Type.Optional(Type.Number()),
    longitude: Type.Optional(Type.Number()),
    altitude: Type.Optional(Type.Number()),
  }),
)
const mainStream = Type.String({
  description: 'ID or UID of the stream that lists of devices show. Blank: the first stream',
})
const reference = orNull(named('Reference', { uid: Type.String() }, { uid: EXAMPLE_UID }))

const derivation = named(
  'Derivation',
  {
    expression: Type.String({ description: 'The formula' }),
    variables: Type.Array(
      Type.Object({
        name: Type.String(),
        componentId: Type.Optional(
          Type.String({ description: 'Blank: the component of the stream, or no access' }),
        ),
        componentUid: Type.String({ description: 'Blank: the component of the stream' }),
        streamId: Type.String({ description: 'Blank if the source has none or was deleted' }),
        streamUid: Type.String({ description: 'Blank in templates' }),
        offset: Type.Integer(),
        cycleUid: Type.String(),
        cycleId: Type.String(),
        stat: oneOf(['', ...STATISTIC_IDS]),
      }),
    ),
    trigger: oneOf(['ALL', 'ANY']),
    followsCorrections: Type.Boolean(),
  },
  {
    expression: '(flow + return) / 2',
    variables: ['flow', 'return'].map((name) => ({
      name,
      componentId: '',
      componentUid: '',
      streamId: name,
      streamUid: EXAMPLE_UID,
      offset: 0,
      cycleUid: '',
      cycleId: '',
      stat: '',
    })),
    trigger: 'ALL',
    followsCorrections: false,
  },
)

const derivationStatus = named(
  'DerivationStatus',
  {
    lastRun: orNull(msOf('Time of the last calculation')),
    lastError: orNull(
      Type.Object({
        message: Type.String(),
        time: orNull(msOf('Time of the failed result')),
        values: Type.Record(
          Type.String(),
          Type.Union([Type.Number(), Type.String(), Type.Boolean(), Type.Null()]),
          { description: 'Values of the variables' },
        ),
      }),
    ),
    errorCount: Type.Integer(),
    sampleCount: Type.Integer(),
  },
  { lastRun: 1767225600000, lastError: null, errorCount: 0, sampleCount: 1440 },
)

const labels = Type.Record(Type.String(), Type.String(), {
  description: 'Names and texts that distinguish streams; absent where there are none',
})

const streamFields = {
  uid,
  id,
  name,
  description,
  streamType: oneOf(STREAM_TYPES),
  valueType: oneOf(VALUE_TYPES, 'Blank before the first sample'),
  unit: reference,
  baseCycle: orNull(Type.Object({ uid: Type.String(), id: Type.String() })),
  rollupMethod: oneOf(['avg', 'sum', 'min', 'max', 'first', 'last']),
  streamDerivationType: oneOf(['NONE', 'FROM_EXPRESSION']),
  delete_profile: reference,
  location,
  lookbackMs: Type.Optional(
    Type.Integer({ description: 'For how long a sample counts in queries of Prometheus' }),
  ),
  labels: Type.Optional(labels),
}

const streamExample = {
  uid: EXAMPLE_UID,
  id: 'temp',
  name: 'Temperature',
  description: '',
  streamType: 'rdm_stream',
  valueType: 'DOUBLE',
  unit: null,
  baseCycle: null,
  rollupMethod: 'avg',
  streamDerivationType: 'NONE',
  delete_profile: null,
  location: null,
}

/** A stream of a component. */
export const streamRecord = named(
  'Stream',
  {
    ...streamFields,
    derivation: Type.Optional(derivation),
    derivationStatus: Type.Optional(derivationStatus),
    series: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'The labels by which another protocol finds the stream; read-only',
      }),
    ),
    timeZoneId: Type.String({
      description: 'Time zone of an interval stream, blank for others',
    }),
    revision,
  },
  { ...streamExample, timeZoneId: '', revision: 1 },
)

/** A component; lists leave its streams out. */
export const componentRecord = named(
  'Component',
  {
    uid,
    id,
    name,
    description,
    folder: Type.String(),
    timeZoneId: Type.String(),
    creationDate: msOf('Creation time'),
    ownerUser: orNull(Type.Object({ uid: Type.String(), name: Type.String() })),
    addressedAs: Type.Optional(
      Type.Array(Type.String(), { description: 'The texts by which other protocols find it' }),
    ),
    location,
    mainStream,
    template: Type.Optional(
      Type.String({ description: 'ID of its template at the time of creation' }),
    ),
    revision,
    streamCount: Type.Integer(),
    stream: Type.Optional(
      Type.Array(streamRecord, { description: 'The first 1,000. Not in lists' }),
    ),
  },
  {
    uid: EXAMPLE_UID,
    id: 'boiler',
    name: 'Boiler, cellar',
    description: '',
    folder: '/Components',
    timeZoneId: 'Europe/Berlin',
    creationDate: 1767225600000,
    ownerUser: null,
    location: null,
    mainStream: 'temp',
    revision: 1,
    streamCount: 2,
  },
)

/** A component template, with the streams that it defines. */
export const templateRecord = named(
  'ComponentTemplate',
  {
    uid,
    id,
    name,
    description,
    timeZoneId: Type.String({ description: 'Blank: the time zone of the owner' }),
    location,
    mainStream,
    stream: Type.Array(
      named(
        'TemplateStream',
        { ...streamFields, derivation: Type.Optional(orNull(derivation)) },
        { ...streamExample, derivation: null },
      ),
    ),
    revision,
  },
  {
    uid: EXAMPLE_UID,
    id: 'boiler-template',
    name: 'Boilers',
    description: '',
    timeZoneId: '',
    location: null,
    mainStream: '',
    stream: [],
    revision: 1,
  },
)

/** A folder of components. */
export const folderRecord = named(
  'ComponentFolder',
  { uid, path: Type.String(), name, revision },
  { uid: EXAMPLE_UID, path: '/Components/Hall 1', name: 'Hall 1', revision: 1 },
)

/** A component in the folder it was put into. */
export const filedComponent = named(
  'FiledComponent',
  {
    uid,
    contentType: Type.Literal('component'),
    parentFolderUid: Type.String(),
    path: Type.String(),
    name,
  },
  {
    uid: EXAMPLE_UID,
    contentType: 'component',
    parentFolderUid: '',
    path: '/Components',
    name: 'Boiler, cellar',
  },
)

/** A cycle. */
export const cycleRecord = named(
  'Cycle',
  {
    uid,
    id,
    name,
    sizeType: oneOf(SIZE_TYPES),
    count: Type.Integer(),
    referenceDate: Type.String({ description: 'Local date-time at which one period starts' }),
    timeZoneId: Type.String({ description: 'Blank: the time zone of the component' }),
    intervals: Type.Array(Type.Object({ from: Type.String(), until: Type.String() })),
    revision,
  },
  {
    uid: EXAMPLE_UID,
    id: 'shift',
    name: 'Shift',
    sizeType: 'HOUR',
    count: 8,
    referenceDate: '2024-01-01T06:00:00',
    timeZoneId: '',
    intervals: [],
    revision: 1,
  },
)

/** A unit. */
export const unitRecord = named(
  'Unit',
  {
    uid,
    id,
    name,
    symbol: Type.String(),
    symbolLocation: oneOf(['BEFORE', 'AFTER']),
    numberFormat: Type.String(),
    booleanStyle: oneOf([
      'TRUE_FALSE',
      'ONE_ZERO',
      'ON_OFF',
      'YES_NO',
      'CLOSE_OPEN',
      'OPEN_CLOSE',
      'HIGH_LOW',
      'LOW_HIGH',
    ]),
    revision,
  },
  {
    uid: EXAMPLE_UID,
    id: 'celsius',
    name: 'Degree Celsius',
    symbol: '°C',
    symbolLocation: 'AFTER',
    numberFormat: '0.0',
    booleanStyle: 'TRUE_FALSE',
    revision: 1,
  },
)

/** A delete profile. */
export const deleteProfileRecord = named(
  'DeleteProfile',
  {
    uid,
    id,
    name,
    sizeType: oneOf(['MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR']),
    count: Type.Integer(),
    revision,
  },
  { uid: EXAMPLE_UID, id: 'two-years', name: 'Two years', sizeType: 'YEAR', count: 2, revision: 1 },
)
