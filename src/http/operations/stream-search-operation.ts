import { PAGE_LIMIT_MAX, Type } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import { answersOf, EXAMPLE_UID, named } from '../openapi/answer-schema.ts'
import { type HttpOperation, httpOperation } from '../table/http-operation.ts'
import { readQueryText } from '../wire/catalog-wire.ts'
import { envelope, readPage } from '../wire/envelope.ts'

const query = Type.Object({
  label: Type.String({
    description: 'name=value, in any case. With * at the end, all values that begin so: site=no*',
  }),
  after: Type.Optional(
    Type.Integer({ minimum: 0, description: 'The next of the previous call. 0 by default' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, description: `${PAGE_LIMIT_MAX} by default and at most` }),
  ),
})

const search = named(
  'StreamSearch',
  {
    streams: Type.Array(
      Type.Object({
        component: Type.Object({ uid: Type.String(), id: Type.String(), name: Type.String() }),
        uid: Type.String(),
        id: Type.String(),
        name: Type.String(),
        labels: Type.Record(Type.String(), Type.String()),
      }),
    ),
    next: Type.Optional(
      Type.Integer({
        description: 'The after of the next call. Absent when all streams were searched',
      }),
    ),
  },
  {
    streams: [
      {
        component: { uid: EXAMPLE_UID, id: 'boiler', name: 'Boiler' },
        uid: EXAMPLE_UID,
        id: 'temp',
        name: 'Temperature',
        labels: { site: 'north' },
      },
    ],
  },
)

/** The streams that have a label. */
export function streamSearchOperation({ catalog }: { readonly catalog: Catalog }): HttpOperation {
  return httpOperation({
    name: 'listStreamsByLabel',
    methods: ['GET'],
    path: '/api/stream',
    callers: 'admin',
    needs: 'GET component',
    tag: 'component',
    summary:
      'Find streams by a label, in the order of their creation. A call searches up to 5,000 streams: repeat with next',
    query,
    answer: answersOf('search', search).one,
    run: async ({ principal, query: given }) => {
      const { start: after } = readPage({ start: readQueryText(given, 'after') })
      const { limit } = readPage(given)
      const label = readQueryText(given, 'label') ?? ''
      return envelope('search', await catalog.searchStreams(principal, { label, after, limit }))
    },
  })
}
