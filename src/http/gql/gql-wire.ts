/** Calls that run GS SQL, from their parameters and bodies. */
import { readFlag, refuse, Type } from '../../base/index.ts'
import type { QueryRange } from '../../gql/index.ts'
import { GS_SQL_LENGTH_MAX } from '../../sql/index.ts'
import { canonicalTimeZone, parseTime, timeRuleFor } from '../../time/index.ts'
import { prefersCsv } from '../feed/feed-csv.ts'
import { EXAMPLE_UID, msOf, named, oneOf, timeOf } from '../openapi/answer-schema.ts'
import type { RowsForm } from './rows-writer.ts'

/** As far as dates go. */
const TIME_MAX = 8.64e15
const FAR_TIMES = { minimum: -TIME_MAX, maximum: TIME_MAX }

const format = Type.Optional(
  oneOf(['csv', 'json'], 'Response format. Default: the Accept header (text/csv or JSON)'),
)
const h = Type.Optional(
  Type.Boolean({
    description: 'false or 0: CSV without a header line. True by default',
  }),
)
const c = Type.Optional(
  Type.Integer({
    minimum: 1,
    description: 'Row limit of the response. "more" is set if rows were cut off',
  }),
)

const from = Type.Optional(timeOf('Value of @FROM', FAR_TIMES))
const until = Type.Optional(timeOf('Value of @UNTIL', FAR_TIMES))

/** Parameters of a GET that runs a text. */
export const gqlQuery = Type.Object({
  s: Type.String({
    maxLength: GS_SQL_LENGTH_MAX,
    description: 'GS SQL statements: SET and SELECT',
  }),
  tz: Type.Optional(Type.String({ description: "An IANA time zone; by default the user's own" })),
  from,
  until,
  h,
  c,
  format,
})

/** Parameters of a GET that runs a saved query. */
export const resultsQuery = Type.Object({ from, until, h, c, format })

/** Parameters of a POST that runs a text. */
export const postQuery = Type.Object({ h, c, format })

/** Body of a POST that runs a text. */
export const gqlBody = Type.Object(
  {
    sql: Type.String({
      maxLength: GS_SQL_LENGTH_MAX,
      description: 'GS SQL statements: SET, SELECT, and INSERT',
    }),
    tz: Type.Optional(Type.String({ description: "An IANA time zone; by default the user's own" })),
    dryRun: Type.Optional(
      Type.Boolean({ description: 'Dry run: store nothing and return the samples' }),
    ),
    from,
    until,
  },
  { title: 'GqlBody', examples: [{ sql: 'SELECT cid, id FROM STREAM', dryRun: true }] },
)

const cell = Type.Union([Type.Number(), Type.String(), Type.Boolean(), Type.Null()])

/** The answer of a run. */
const gqlAnswer = named(
  'GqlAnswer',
  {
    cols: Type.Array(
      Type.Object({
        name: Type.String(),
        valueType: oneOf(
          ['', 'LONG', 'DOUBLE', 'BIG_DECIMAL', 'STRING', 'BOOLEAN'],
          'Blank if the column has several types or only NULL',
        ),
      }),
      { description: 'Rows of the last SELECT' },
    ),
    rows: Type.Array(Type.Array(cell)),
    more: Type.Optional(Type.Literal(true, { description: 'More than c rows exist' })),
    sampleCount: Type.Optional(Type.Integer({ description: 'Number of inserted samples' })),
    samples: Type.Optional(
      Type.Array(
        Type.Object({
          cid: Type.String(),
          id: Type.String(),
          time: msOf('Of the sample'),
          sample: cell,
        }),
        { description: 'Dry run only: the first samples that would be stored' },
      ),
    ),
    message: Type.String({ description: 'Warnings about stored samples, usually blank' }),
    success: Type.Literal(true),
  },
  {
    cols: [
      { name: 'cid', valueType: 'STRING' },
      { name: 'max(sample)', valueType: '' },
    ],
    rows: [['boiler', 61.5]],
    sampleCount: 0,
    message: '',
    success: true,
  },
)

const csvRows = Type.String({
  description: 'RFC 4180, with a header line unless h is 0',
  examples: ['cid,max(sample)\r\nboiler,61.5\r\n'],
})

/** How rows are described. */
export const gqlRows = {
  description: 'Rows of the last SELECT. text/csv if requested by format or Accept',
  headers: {
    'Weir-More': {
      type: 'string',
      description: 'true if c cut off rows. For long CSV, a trailer with true or false',
    },
  },
  content: { 'application/json': { schema: gqlAnswer }, 'text/csv': { schema: csvRows } },
}

/** A saved query as it is answered. */
export const queryRecord = named(
  'QueryRecord',
  {
    uid: Type.String(),
    id: Type.String({ description: 'Chosen by users, optional' }),
    name: Type.String(),
    description: Type.String(),
    sql: Type.String(),
    timeZoneId: Type.String(),
    revision: Type.Integer({ description: 'Number of changes' }),
  },
  {
    uid: EXAMPLE_UID,
    id: 'streams',
    name: 'All streams',
    description: '',
    sql: 'SELECT cid, id FROM STREAM',
    timeZoneId: 'UTC',
    revision: 1,
  },
)

const BODY_FIELDS = ['sql', 'tz', 'dryRun', 'from', 'until']

/** A text to run. */
interface AskedText {
  readonly sql: string
  /** Undefined: the caller's own. */
  readonly timeZoneId: string | undefined
}

/** The text of a GET. */
export function readGqlQuery(query: unknown): AskedText {
  const { s, tz } = query as Record<string, unknown>
  if (Array.isArray(s)) {
    refuse('bad_input', { what: '"s" is given more than once', field: 's' })
  }
  if (typeof s !== 'string' || s.trim() === '') {
    refuse('bad_input', { what: '"s" is missing. Set it to the GS SQL to run', field: 's' })
  }
  return { sql: s, timeZoneId: readZone(tz) }
}

/** The text of a POST. */
export function readGqlBody(
  body: unknown,
): AskedText & { readonly isDry: boolean; readonly range: QueryRange } {
  const fields = (body ?? {}) as Record<string, unknown>
  const { sql, tz, dryRun = false } = fields
  // A slip in "dryRun" would store what was only to be tried.
  const unknown = Object.keys(fields).find((name) => !BODY_FIELDS.includes(name))
  if (unknown !== undefined) {
    const field = unknown.slice(0, 60)
    refuse('bad_input', {
      what: `"${field}" is unknown. Fields are ${BODY_FIELDS.join(', ')}`,
      field,
    })
  }
  if (typeof sql !== 'string' || sql.trim() === '') {
    refuse('bad_input', { what: '"sql" is missing. Set it to the GS SQL to run', field: 'sql' })
  }
  if (typeof dryRun !== 'boolean') {
    refuse('bad_input', { what: '"dryRun" must be true or false', field: 'dryRun' })
  }
  return { sql, timeZoneId: readZone(tz), isDry: dryRun, range: readQueryRange(fields) }
}

/** The range that a call is about, of its parameters or its body. */
export function readQueryRange(given: unknown): QueryRange {
  const fields = (given ?? {}) as Record<string, unknown>
  return { from: readMs(fields, 'from'), until: readMs(fields, 'until') }
}

function readMs(fields: Readonly<Record<string, unknown>>, field: string): number | undefined {
  const given = fields[field]
  if (given === undefined || given === null || given === '') return undefined
  const time = typeof given === 'string' ? parseTime(given) : given
  if (typeof time !== 'number' || !Number.isInteger(time) || Math.abs(time) > TIME_MAX) {
    const text = typeof given === 'string' ? given : ''
    refuse('bad_input', { what: `"${field}" ${timeRuleFor(text)}`, field })
  }
  return time
}

function readZone(tz: unknown): string | undefined {
  if (tz === undefined || tz === null || tz === '') return undefined
  const zone = typeof tz === 'string' ? canonicalTimeZone(tz) : undefined
  if (zone === undefined) {
    refuse('bad_input', {
      what: '"tz" must be an IANA time zone such as Europe/Berlin',
      field: 'tz',
    })
  }
  return zone
}

/** How the rows are to be answered. */
export function readForm(query: unknown, accept: string | undefined): RowsForm {
  const { format: asked, h: header, c: count } = query as Record<string, unknown>
  if (asked !== undefined && asked !== 'csv' && asked !== 'json') {
    refuse('bad_input', { what: '"format" must be csv or json', field: 'format' })
  }
  // Several of one name are a list; the flag is set when one of them sets it.
  const flags = [header ?? '1'].flat().map((value): readonly [string, string] => ['h', `${value}`])
  const isCsv = asked === undefined ? prefersCsv(accept) : asked === 'csv'
  return { isCsv, hasHeader: readFlag(flags, 'h'), rowsMax: readRowsMax(count), goesOn: false }
}

/** The most rows to answer; a blank text says nothing. */
function readRowsMax(count: unknown): number {
  if (count === undefined || (typeof count === 'string' && count.trim() === '')) {
    return Number.POSITIVE_INFINITY
  }
  const rowsMax = typeof count === 'string' ? Number(count) : Number.NaN
  if (Number.isInteger(rowsMax) && rowsMax >= 1) return rowsMax
  return refuse('bad_input', { what: '"c" must be an integer of at least 1', field: 'c' })
}
