/** The audit log on the wire: its filters, its page, and its CSV. */
import {
  AUDIT_ACTS,
  type AuditAct,
  type AuditFilter,
  type AuditRecord,
  isAuditAct,
} from '../../auth/index.ts'
import { refuse, Type } from '../../base/index.ts'
import { readTimeParameter } from '../../time/index.ts'
import { prefersCsv } from '../feed/feed-csv.ts'
import { answerWith, msOf, oneOf } from '../openapi/answer-schema.ts'
import { readQueryText } from './catalog-wire.ts'
import { pageSchema } from './envelope.ts'
import { AUDIT_EXAMPLE, auditRecord } from './identity-answers.ts'

const SEARCH_LENGTH_MAX = 200
const ACTOR_LENGTH_MAX = 100
const TIME_MAX = 999_999_999_999_999

/** Parameters of the list, for the description. */
export const auditQuery = Type.Object({
  ...pageSchema.properties,
  from: Type.Optional(msOf('Entries at or after this time')),
  until: Type.Optional(msOf('Entries before this time')),
  act: Type.Optional(Type.String({ description: 'One action, or several separated by commas' })),
  actor: Type.Optional(Type.String({ description: 'As in entries, for example user:<uid>' })),
  search: Type.Optional(
    Type.String({
      description: `Words that an entry must contain, case-insensitive, at most ${SEARCH_LENGTH_MAX} characters`,
    }),
  ),
  format: Type.Optional(
    oneOf(['csv', 'json'], 'Response format. Default: the Accept header (text/csv or JSON)'),
  ),
})

const auditPage = answerWith(
  'AuditPage',
  {
    audit: Type.Array(auditRecord),
    totalCount: Type.Integer({
      description: 'Total number of entries. With filters, of the entries read',
    }),
    readFrom: Type.Optional(
      msOf('With filters: entries before this time were not read. Continue with until'),
    ),
  },
  { audit: [AUDIT_EXAMPLE], totalCount: 1 },
)

/** The list as it is described; of CSV in words alone, as with samples. */
export const auditAnswer = {
  description: 'Entries, newest first. text/csv if requested by format or Accept',
  content: { 'application/json': { schema: auditPage } },
}

/** The filter of a call; refuses what names no act or no time. */
export function readAuditFilter(query: unknown): AuditFilter {
  const [from, until] = [readTime(query, 'from'), readTime(query, 'until')]
  if (from !== undefined && until !== undefined && from >= until) {
    refuse('bad_input', { what: 'from must be before until' })
  }
  const actor = readShort(query, 'actor', ACTOR_LENGTH_MAX)
  const words = readShort(query, 'search', SEARCH_LENGTH_MAX)?.toLowerCase().match(/\S+/g)
  return { from, until, actor, acts: readActs(query), words: words ?? undefined }
}

/** Whether a call asks for CSV, which has every entry and no pages. */
export function asksForCsv(query: unknown, accept: string | undefined): boolean {
  const format = readQueryText(query, 'format')
  if (format !== undefined && format !== 'csv' && format !== 'json') {
    refuse('bad_input', { what: 'format must be csv or json' })
  }
  const isCsv = format === undefined ? prefersCsv(accept) : format === 'csv'
  const { start, limit } = query as Record<string, unknown>
  if (isCsv && (start !== undefined || limit !== undefined)) {
    refuse('bad_input', { what: 'CSV returns every entry. Remove start and limit' })
  }
  return isCsv
}

function readTime(query: unknown, name: string): number | undefined {
  const text = readQueryText(query, name)
  if (text === undefined) return undefined
  const time = readTimeParameter([[name, text]], name) ?? 0
  // Entries are found by times of 15 digits, and none is older than the service.
  return Math.min(Math.max(time, 0), TIME_MAX)
}

function readShort(query: unknown, name: string, max: number): string | undefined {
  const text = readQueryText(query, name)
  if (text !== undefined && text.length > max) {
    refuse('bad_input', { what: `${name} must have at most ${max} characters` })
  }
  return text === '' ? undefined : text
}

function readActs(query: unknown): readonly AuditAct[] | undefined {
  const text = readQueryText(query, 'act') ?? ''
  if (text === '') return undefined
  return text.split(',', AUDIT_ACTS.length).map((act) => {
    if (isAuditAct(act)) return act
    const what = `Unknown action ${JSON.stringify(act.slice(0, 60))}. Use one of ${AUDIT_ACTS.join(', ')}`
    return refuse('bad_input', { what })
  })
}

const COLUMNS = ['uid', 'time', 'act', 'actor', 'target', 'address', 'detail'] as const

/** The entries as CSV, some at a time, with a line of names first. */
export async function* auditCsv(
  steps: AsyncIterable<readonly AuditRecord[]>,
): AsyncGenerator<string> {
  yield `${COLUMNS.join(',')}\r\n`
  for await (const step of steps) {
    const lines = step.map((one) => COLUMNS.map((name) => cellOf(one[name])).join(','))
    if (lines.length > 0) yield `${lines.join('\r\n')}\r\n`
  }
}

/** What spreadsheets take for the beginning of a formula. */
const FORMULA_START = /^[=+\-@\t\r]/

/** A value as a cell. A text that a spreadsheet would run as a formula has an apostrophe in front. */
function cellOf(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = FORMULA_START.test(value) ? `'${value}` : value
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
