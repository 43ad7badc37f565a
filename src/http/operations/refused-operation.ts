import type { Identity } from '../../auth/index.ts'
import { Type } from '../../base/index.ts'
import type { DoorLog } from '../../intake/index.ts'
import { answersOf, msOf, named } from '../openapi/answer-schema.ts'
import { type HttpOperation, httpOperation } from '../table/http-operation.ts'
import { envelope, pageSchema, readPage } from '../wire/envelope.ts'

const refusedRecord = named(
  'RefusedPoint',
  {
    time: msOf('When it was refused'),
    door: Type.String({ description: 'The protocol that brought it, such as influx' }),
    key: Type.String({
      description: 'The name of the API key; blank if another credential was used',
    }),
    reason: Type.String(),
    line: Type.String({ description: 'The first 1000 characters of its line' }),
  },
  {
    time: 1767225600000,
    door: 'influx',
    key: 'Boiler room',
    reason: 'Stream "temp" holds DOUBLE, and the point is a STRING',
    line: 'boiler temp="hot" 1767225600000000000',
  },
)

/** The list of points that foreign protocols have brought and that were refused. */
export function refusedOperation({
  doorLog,
  identity,
}: {
  readonly doorLog: DoorLog
  readonly identity: Identity
}): HttpOperation {
  return httpOperation({
    name: 'listRefusedPoints',
    methods: ['GET'],
    path: '/api/door/refused',
    callers: 'admin',
    needs: 'GET door',
    tag: 'door',
    summary:
      'The last 1,000 points of other protocols that were refused, latest first; kept in memory, so a restart loses them',
    query: pageSchema,
    answer: answersOf('refused', refusedRecord).page,
    run: async ({ principal, query }) => {
      const { start, limit } = readPage(query)
      const entries = doorLog.list(principal.orgUid)
      const shown = entries.slice(start, start + limit)
      const names = await identity.keys.nameRefused(principal, shown)
      const records = shown.map(({ keyUid, time, door, reason, line }) => {
        return { time, door, key: names.get(keyUid) ?? '', reason, line }
      })
      return envelope('refused', records, entries.length)
    },
  })
}
