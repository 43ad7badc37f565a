import type { Principal } from '../../access/index.ts'
import { type MemoryBudget, readLoosePairs, refuse } from '../../base/index.ts'
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
import { FeedBodyReader } from '../feed/feed-body-reader.ts'
import type { Call } from '../table/call.ts'
import { Answer } from '../table/call-answer.ts'
import { type HttpOperation, httpOperation } from '../table/http-operation.ts'
import { knownEncoding } from '../transport/body.ts'

/** What the calls of InfluxDB's clients are served from. */
interface InfluxDeps {
  readonly budget: MemoryBudget
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

/** The ways to write, by version of the API. */
const WRITES: readonly (readonly [path: string, version: InfluxVersion])[] = [
  ['/write', 'v1'],
  ['/api/v2/write', 'v2'],
  ['/api/v3/write_lp', 'v3'],
]

/**
 * What clients of InfluxDB call: writes, and what they ask before they write. They are not in the description of
 * the API: their answers and errors are those of InfluxDB.
 */
export function influxOperations(deps: InfluxDeps): HttpOperation[] {
  const reader = new FeedBodyReader(deps.bodyBytesMax, deps.budget, knownEncoding)
  const writes = WRITES.map(([path, version]) => writeOperation(deps, { version, path, reader }))
  return [...writes, ...askOperations(deps)]
}

function writeOperation(
  { doorWriter, findRules }: InfluxDeps,
  way: {
    readonly version: InfluxVersion
    readonly path: string
    readonly reader: FeedBodyReader
  },
): HttpOperation {
  const { version, path, reader } = way
  return httpOperation({
    methods: ['POST'],
    path,
    aliases: [`${PREFIX}${path}`],
    callers: 'feed',
    needs: 'PUT component/{uid}/feed',
    dialect: influxDialect(version),
    input: { kind: 'bytes', reader, isKept: true, schema: undefined },
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
function askOperations({ budget }: InfluxDeps): HttpOperation[] {
  const dialect = influxDialect('v1')
  const reader = new FeedBodyReader(QUERY_BYTES_MAX, budget, knownEncoding)
  return [
    httpOperation({
      methods: ['GET'],
      path: '/ping',
      aliases: [`${PREFIX}/ping`],
      callers: 'anyone',
      run: () => new Answer('', { status: 204, headers: INFLUX_HEADERS }),
    }),
    httpOperation({
      methods: ['GET'],
      path: '/health',
      aliases: [`${PREFIX}/health`],
      callers: 'anyone',
      run: () => new Answer(HEALTH, { headers: INFLUX_HEADERS }),
    }),
    httpOperation({
      methods: ['POST'],
      path: '/query',
      aliases: [`${PREFIX}/query`],
      callers: 'feed',
      dialect,
      isWrite: false,
      input: { kind: 'bytes', reader, schema: undefined },
      run: (call) => call.withBytes((bytes) => answerForm(call.queryText, bytes.toString('utf8'))),
    }),
    httpOperation({
      methods: ['GET'],
      // Without the prefix the path is the studio's, which answers what is no page: see page-operations.ts.
      path: `${PREFIX}/query`,
      callers: 'feed',
      dialect,
      run: (call) => answerForm(call.queryText, ''),
    }),
  ]
}

function answerForm(queryText: string, form: string): Answer {
  const read = (text: string) => readLoosePairs(text).find(([name]) => name === 'q')?.[1]
  return answerQuery(read(queryText) ?? read(form))
}

/** The answer to a query of InfluxQL, which is the same for every caller. */
export function answerQuery(query: string | readonly string[] | undefined): Answer {
  const text = typeof query === 'object' ? query[0] : query
  if (text === undefined) refuse('bad_input', { what: 'missing required parameter "q"' })
  return new Answer(answerInfluxQuery(text), { headers: INFLUX_HEADERS })
}
