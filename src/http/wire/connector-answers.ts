/** Connectors, and what they were given, as they are answered. */

import { Type } from '../../base/index.ts'
import { CONNECTOR_TYPES, RUN_STATUSES } from '../../connectors/index.ts'
import { answerWith, EXAMPLE_UID, msOf, named, oneOf, orNull } from '../openapi/answer-schema.ts'

const SQL_EXAMPLE = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
SELECT d, s, NULL, v FROM JSON_TABLE(@HTTP_BODY) WITH (d String '$.device', s String '$.values[*].id', v Double '$.values[*].value')`

const OF_IMPORT = 'DB_IMPORT only'

/** A connector. */
export const connectorRecord = named(
  'Connector',
  {
    uid: Type.String({ description: 'Blank before the record is saved' }),
    id: Type.String({ description: 'Last part of the sink URL' }),
    name: Type.String(),
    description: Type.String(),
    connType: oneOf(CONNECTOR_TYPES),
    runningUser: Type.Object(
      { uid: Type.String(), name: Type.String() },
      { description: 'The connector runs with the permissions of this user' },
    ),
    isEnabled: Type.Boolean(),
    procs: Type.Array(named('ConnectorProc', { timeZoneId: Type.String(), sql: Type.String() })),
    sinkUrl: Type.String({ description: 'URL of the sink, read-only, blank for imports' }),
    connection: Type.Optional(Type.Object({ uid: Type.String() }, { description: OF_IMPORT })),
    externalSql: Type.Optional(Type.String({ description: OF_IMPORT })),
    maxRows: Type.Optional(Type.Integer({ description: `${OF_IMPORT}. 0 = no limit` })),
    skipUnchangedRows: Type.Optional(Type.Boolean({ description: OF_IMPORT })),
    schedule: Type.Optional(
      Type.Union(
        [
          Type.Null(),
          Type.Object({ cron: Type.String(), timeZoneId: Type.String() }),
          Type.Object({ everyMinutes: Type.Integer() }),
        ],
        { description: OF_IMPORT },
      ),
    ),
    nextRun: orNull(msOf('Next scheduled run, read-only, null without a schedule')),
    revision: Type.Integer({ description: 'Number of changes' }),
  },
  {
    uid: EXAMPLE_UID,
    id: 'model12',
    name: 'Model 12',
    description: '',
    connType: 'HTTP',
    runningUser: { uid: EXAMPLE_UID, name: 'Ada Lovelace' },
    isEnabled: true,
    procs: [{ timeZoneId: 'UTC', sql: SQL_EXAMPLE }],
    sinkUrl: `https://weir.example/api/conn_sink/${EXAMPLE_UID}/model12`,
    nextRun: null,
    revision: 1,
  },
)

/** What a schedule comes to. */
export const scheduleCheckRecord = named(
  'ScheduleCheck',
  {
    error: orNull(
      Type.Object(
        { field: Type.String(), message: Type.String() },
        { description: 'Error that prevents saving, or null' },
      ),
    ),
    nextRuns: Type.Array(msOf('Next runs'), { description: 'At most three, in order' }),
  },
  { error: null, nextRuns: [1_700_000_000_000, 1_700_000_900_000, 1_700_001_800_000] },
)

const outcomeFields = {
  status: oneOf(RUN_STATUSES, 'RUNNING also after an interruption by a stop of the service'),
  samples: Type.Integer({ description: 'Number of stored samples' }),
  message: Type.String({ description: 'Reason of the failure, else blank' }),
}

const payloadFields = {
  uid: Type.String(),
  time: msOf('Time received'),
  method: Type.String(),
  size: Type.Integer({ description: 'Size of the body in bytes' }),
  ...outcomeFields,
}

const payloadExample = {
  uid: '018bcfe5-6800-8000-8000-000000000007',
  time: 1_700_000_000_000,
  method: 'POST',
  size: 312,
  status: 'DONE',
  samples: 10,
  message: '',
}

/** What a sink was called with, in a list. */
export const payloadRecord = named('Payload', payloadFields, payloadExample)

/** What a sink was called with. */
export const wholePayloadRecord = named(
  'WholePayload',
  {
    ...payloadFields,
    query: Type.String({ description: 'Decoded, its api_key masked' }),
    body: orNull(Type.String()),
  },
  { ...payloadExample, query: 'api_key=***', body: '{"device":"d1","values":[]}' },
)

/** A run of a connector. */
export const runRecord = named(
  'Run',
  {
    uid: Type.String(),
    start: msOf('Start time'),
    end: orNull(msOf('End time')),
    rowsFetched: Type.Integer(),
    rowsIngested: Type.Integer(),
    rowsSkipped: Type.Integer(),
    ...outcomeFields,
  },
  {
    uid: payloadExample.uid,
    start: 1_700_000_000_000,
    end: 1_700_000_000_003,
    rowsFetched: 0,
    rowsIngested: 10,
    rowsSkipped: 0,
    status: 'DONE',
    samples: 10,
    message: '',
  },
)

const sampleRecord = named(
  'DrySample',
  {
    cid: Type.String(),
    id: Type.String(),
    time: msOf('The time of the sample'),
    sample: Type.Union([Type.Number(), Type.String(), Type.Boolean(), Type.Null()]),
  },
  { cid: 'd1', id: 'temp', time: 1_700_000_000_000, sample: 21.5 },
)

/** What SQL would store of a payload. */
export const dryRunAnswer = answerWith(
  'DryRunAnswer',
  {
    samples: Type.Array(sampleRecord, { description: 'The first samples that would be stored' }),
    sampleCount: Type.Integer({ description: 'Number of samples that would be stored' }),
    created: Type.Array(
      Type.Object({
        compId: Type.String(),
        streamId: Type.String(),
        isNewComponent: Type.Boolean({ description: 'Whether its component would be created too' }),
      }),
      { description: 'Streams that would be created' },
    ),
  },
  {
    samples: [{ cid: 'd1', id: 'temp', time: 1_700_000_000_000, sample: 21.5 }],

    sampleCount: 1,
    created: [{ compId: 'd1', streamId: 'temp', isNewComponent: true }],
  },
)
