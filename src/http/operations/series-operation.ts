import { requireSomeFeed } from '../../access/index.ts'
import { refuse, Type } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import { requireStream } from '../../feed/index.ts'
import { answerWith, EXAMPLE_UID } from '../openapi/answer-schema.ts'
import { type HttpOperation, httpOperation } from '../table/http-operation.ts'

const place = Type.Object({ uid: Type.String(), id: Type.String() })

const answer = answerWith(
  'StreamOfSeries',
  {
    component: place,
    stream: place,
  },
  { component: { uid: EXAMPLE_UID, id: 'a' }, stream: { uid: EXAMPLE_UID, id: 'cpu_usage' } },
)

/** The stream of a series, for programs that have written to it. */
export function seriesOperation({ catalog }: { readonly catalog: Catalog }): HttpOperation {
  const { index } = catalog
  return httpOperation({
    name: 'getStreamOfSeries',
    methods: ['GET'],
    path: '/api/door/stream',
    callers: 'feed',
    needs: 'GET component/{uid}/feed',
    tag: 'door',
    summary: 'The stream of a series, and its component',
    query: Type.Object({
      series: Type.String({
        description: 'The labels of the series as JSON: `{"__name__":"cpu_usage","host":"a"}`',
      }),
    }),
    answer,
    run: async ({ principal, query }) => {
      requireSomeFeed(principal, 'GET')
      const { series } = query as { readonly series?: string }
      const [found] = await catalog.findSeries(principal.orgUid, [readSeries(series ?? '')])
      if (found === undefined) refuse('not_found', { what: 'No stream has this series' })
      const { handle } = found
      const shown = 'the feed of the stream of this series'
      requireStream(index, principal, handle, { method: 'GET', shown })
      const { uid, compId } = index.componentOf(handle)
      const stream = { uid: index.streamUid(handle), id: index.streamIdOf(handle) }
      return { message: '', component: { uid, id: compId }, stream, success: true }
    },
  })
}

function readSeries(text: string): Readonly<Record<string, string>> {
  try {
    const labels: unknown = JSON.parse(text)
    const isObject = typeof labels === 'object' && labels !== null && !Array.isArray(labels)
    if (isObject && Object.values(labels).every((label) => typeof label === 'string')) {
      return labels as Record<string, string>
    }
  } catch {}
  refuse('bad_input', { what: 'series must be a JSON object of texts, such as {"__name__":"cpu"}' })
}
