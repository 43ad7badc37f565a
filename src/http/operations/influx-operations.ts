import type { Principal } from '../../access/index.ts'
import { readLoosePairs, refuse, Type } from '../../base/index.ts'
import type { AddressRule } from '../../catalog/index.ts'
import {
  type DoorWriter,
  LineReader,
  PRECISION_NAMES,
  type Precision,
  readPrecision,
} from '../../intake/index.ts'
import {
  INFLUX_HEADERS,
  type InfluxVersion,
  influxAnswer,
  influxDialect,
} from '../door/influx-dialect.ts'
import { answerInfluxQuery } from '../door/influx-query.ts'
import { forDoors } from '../openapi/security-schemes.ts'
import type { Call } from '../table/call.ts'
import { Answer } from '../table/call-answer.ts'
import { type HttpOperation, httpOperation } from '../table/http-operation.ts'
import { knownEncoding } from '../transport/body.ts'

/** What the calls of InfluxDB's clients are served from. */
interface InfluxDeps {
  readonly bodyBytesMax: number
  readonly doorWriter: DoorWriter
  /** The address rules of a caller: its key's, then its organization's. */
  readonly findRules: (principal: Principal) => Promise<readonly AddressRule[]>
}

/** All calls also exist below this path, for clients that want a path of their own. */
const PREFIX = '/influx'

const HEALTH = JSON.stringify({
  name: 'influxdb',
  message: 'ready for queries and writes',
  status: 'pass',
  version: 'v1.8.10',
  checks: [],
})

/** The longest form of a query. */
const QUERY_BYTES_MAX = 64 * 1024

/** A way to write. */
interface WriteWay extends Pick<HttpOperation, 'path' | 'name' | 'query'> {
  readonly version: InfluxVersion
}

const ignored = (name: string) => Type.Optional(Type.String({ description: `Ignored: ${name}` }))
const precisionOf = (version: InfluxVersion) =>
  Type.Optional(
    Type.String({ description: 'Unit of the times', examples: [PRECISION_NAMES[version][0]] }),
  )

/** The ways to write, by version of the API. */
const WRITES: readonly WriteWay[] = [
  {
    version: 'v1',
    path: '/write',
    name: 'putInfluxLines',
    query: Type.Object({
      precision: precisionOf('v1'),
      db: ignored('the API key selects the organization'),
      rp: ignored('see delete profiles'),
      u: Type.Optional(Type.String({ description: 'API key, or any text' })),
      p: Type.Optional(Type.String({ description: 'API key' })),
    }),
  },
  {
    version: 'v2',
    path: '/api/v2/write',
    name: 'putInfluxLinesToBucket',
    query: Type.Object({
      precision: precisionOf('v2'),
      bucket: ignored('the API key selects the organization'),
      org: ignored('the API key selects the organization'),
    }),
  },
  {
    version: 'v3',
    path: '/api/v3/write_lp',
    name: 'putInfluxLinesToDatabase',
    query: Type.Object({
      precision: precisionOf('v3'),
      db: ignored('the API key selects the organization'),
      accept_partial: Type.Optional(
        Type.Boolean({ description: 'false: store all lines or none. true by default' }),
      ),
    }),
  },
]

const linesBody = Type.String({
  description: 'Line protocol, plain or compressed with gzip',
  examples: ['weather,host=greenhouse temperature=21.5,humidity=48 1767225600'],
})

const storedAnswer = Type.Null({ description: 'All points are stored' })

const healthAnswer = Type.Object(
  {
    name: Type.String(),
    message: Type.String(),
    status: Type.String(),
    version: Type.String(),
    checks: Type.Array(Type.String()),
  },
  { title: 'InfluxHealth', examples: [JSON.parse(HEALTH)] },
)

const queryText = Type.Optional(
  Type.String({ description: 'SHOW DATABASES, CREATE DATABASE, or SHOW RETENTION POLICIES' }),
)

const cell = Type.Union([Type.String(), Type.Number(), Type.Boolean()])

const seriesAnswer = Type.Object({
  name: Type.Optional(Type.String()),
  columns: Type.Array(Type.String()),
  values: Type.Array(Type.Array(cell)),
})

const resultAnswer = Type.Object({
  statement_id: Type.Integer(),
  series: Type.Optional(Type.Array(seriesAnswer)),
  error: Type.Optional(Type.String()),
})

const queryAnswer = Type.Object(
  { results: Type.Array(resultAnswer) },
  { title: 'InfluxResults', examples: [{ results: [{ statement_id: 0 }] }] },
)

/** What clients of InfluxDB call: writes, and what they ask before they write. */
export function influxOperations(deps: InfluxDeps): HttpOperation[] {
  return [...WRITES.map((way) => writeOperation(deps, way)), ...askOperations()]
}

function writeOperation(
  { bodyBytesMax, doorWriter, findRules }: InfluxDeps,
  { version, ...about }: WriteWay,
): HttpOperation {
  return httpOperation({
    ...about,
    methods: ['POST'],
    aliases: [`${PREFIX}${about.path}`],
    tag: 'influx',
    summary: `Store points of line protocol, as InfluxDB ${version.slice(1)}`,
    consumes: ['text/plain'],
    status: 204,
    answer: storedAnswer,
    security: forDoors,
    errors: 'influx',
    callers: 'feed',
    needs: 'PUT component/{uid}/feed',
    dialect: influxDialect(version),
    input: {
      kind: 'bytes',
      limitBytes: bodyBytesMax,
      encodingOf: knownEncoding,
      isKept: true,
      schema: linesBody,
    },
    isHot: true,
    isCurrent: true,
    readTarget: ({ queryText }) => readWrite(queryText, version),
    run: async (call: Call<unknown, WriteTarget>) => {
      doorWriter.requirePutter(call.principal)
      const { isAllOrNone } = call.target
      const precision = requirePrecision(call.target)
      const outcome = await call.withBytes((bytes, held) =>
        doorWriter.write({
          door: 'influx',
          openReader: (cache, bounds) => new LineReader(bytes, cache, { ...bounds, precision }),
          isAllOrNone,
          share: held?.share,
          renew: async () => call.renew(),
          findRules: () => findRules(call.principal),
        }),
      )
      return influxAnswer(outcome, version)
    },
  })
}

/** What the URL of a write says. */
interface WriteTarget {
  readonly version: InfluxVersion
  readonly given: string
  readonly precision: Precision | undefined
  readonly isAllOrNone: boolean
}

function readWrite(queryText: string, version: InfluxVersion): WriteTarget {
  const pairs = readLoosePairs(queryText)
  const read = (name: string) => pairs.find(([one]) => one === name)?.[1]
  const given = read('precision') || (version === 'v3' ? 'auto' : 'ns')
  const isAllOrNone = version === 'v3' && read('accept_partial') === 'false'
  return { version, given, precision: readPrecision(version, given), isAllOrNone }
}

function requirePrecision({ version, given, precision }: WriteTarget): Precision {
  if (precision !== undefined) return precision
  const names = PRECISION_NAMES[version].join(', ')
  refuse('bad_input', { what: `precision must be one of ${names}, got "${given.slice(0, 60)}"` })
}

/** What clients ask before they write. */
function askOperations(): HttpOperation[] {
  const dialect = influxDialect('v1')
  const query = {
    tag: 'influx',
    summary: 'Answer the queries that clients send before they write',
    query: Type.Object({ q: queryText }),
    answer: queryAnswer,
    security: forDoors,
    errors: 'influx',
    callers: 'feed',
    dialect,
  } as const
  return [
    httpOperation({
      name: 'getInfluxPing',
      tag: 'influx',
      summary: 'Answer that the service runs',
      status: 204,
      answer: Type.Null({ description: 'The service runs' }),
      security: [],
      methods: ['GET'],
      path: '/ping',
      aliases: [`${PREFIX}/ping`],
      callers: 'anyone',
      run: () => new Answer('', { status: 204, headers: INFLUX_HEADERS }),
    }),
    httpOperation({
      name: 'getInfluxHealth',
      tag: 'influx',
      summary: 'State of the service, as InfluxDB 1.8',
      answer: healthAnswer,
      security: [],
      methods: ['GET'],
      path: '/health',
      aliases: [`${PREFIX}/health`],
      callers: 'anyone',
      run: () => new Answer(HEALTH, { headers: INFLUX_HEADERS }),
    }),
    httpOperation({
      ...query,
      name: 'answerInfluxQuery',
      methods: ['POST'],
      path: '/query',
      aliases: [`${PREFIX}/query`],
      isWrite: false,
      input: {
        kind: 'bytes',
        limitBytes: QUERY_BYTES_MAX,
        encodingOf: knownEncoding,
        schema: undefined,
      },
      run: (call) => call.withBytes((bytes) => answerForm(call.queryText, bytes.toString('utf8'))),
    }),
    httpOperation({
      ...query,
      name: 'getInfluxQuery',
      methods: ['GET'],
      // Without the prefix the path is the studio's, which gives this what is no page: see page-operations.ts.
      path: `${PREFIX}/query`,
      run: (call) => answerForm(call.queryText, ''),
    }),
  ]
}

function answerForm(queryText: string, form: string): Answer {
  const read = (text: string) => readLoosePairs(text).find(([name]) => name === 'q')?.[1]
  const text = read(queryText) ?? read(form)
  if (text === undefined) refuse('bad_input', { what: 'missing required parameter "q"' })
  return new Answer(answerInfluxQuery(text), { headers: INFLUX_HEADERS })
}
