import { allowsEveryFeed } from '../../access/index.ts'
import { nextIteration } from '../../base/index.ts'
import type { MetricMetadata } from '../../catalog/index.ts'
import type { SelectionParts } from '../source/readable-series.ts'
import { listLabels } from './list-labels.ts'

/** What histograms, summaries, and counters append to the name of their metric. */
const SUFFIXES = ['', '_bucket', '_count', '_sum', '_total', '_created', '_info']

/** Metrics that are written before other calls may run. */
const PER_SLICE = 500

/** Which metadata is asked for. */
export interface MetadataQuery {
  /** Undefined for all metrics. */
  readonly metric: string | undefined
  /** Most metrics; 0 for all. */
  readonly limit: number
  /** Most entries of one metric; 0 for all. */
  readonly limitPerMetric: number
}

/** The answer with type, help, and unit of the metrics of which the caller may read a series. */
export async function listMetadata(
  parts: SelectionParts,
  query: MetadataQuery,
): Promise<Uint8Array> {
  const { catalog, principal } = parts
  const all = await catalog.metricMetadata.list(principal.orgUid)
  const mayRead = await readableNames(parts)
  const pieces: Buffer[] = []
  const fields: string[] = []
  const settle = () => pieces.push(Buffer.from(fields.splice(0).join('')))
  let count = 0
  for (let at = 0; at < all.length; ) {
    const { name } = all[at]
    let end = at + 1
    while (end < all.length && all[end].name === name) end += 1
    const isWanted = query.metric === undefined || query.metric === name
    if (isWanted && mayRead(name) && (query.limit === 0 || count < query.limit)) {
      const most = query.limitPerMetric === 0 ? end : Math.min(end, at + query.limitPerMetric)
      fields.push(`${count === 0 ? '' : ','}${entryText(name, all.slice(at, most))}`)
      count += 1
    }
    if (fields.length >= PER_SLICE) {
      settle()
      await nextIteration()
    }
    at = end
  }
  settle()
  const envelope = ['{"status":"success","data":{', '}}'].map((text) => Buffer.from(text))
  return Buffer.concat([envelope[0], ...pieces, envelope[1]])
}

function entryText(name: string, variants: readonly MetricMetadata[]): string {
  const shown = variants.map(({ type, unit, help }) => ({ type, unit, help }))
  return `${JSON.stringify(name)}:${JSON.stringify(shown)}`
}

/** Callers who may read everything see the metadata of metrics without a series, too. */
async function readableNames(parts: SelectionParts): Promise<(name: string) => boolean> {
  if (allowsEveryFeed(parts.principal, 'GET')) return () => true
  const names = new Set<string>()
  await listLabels(parts, { selectors: [], since: undefined, label: '__name__' }, (texts) => {
    for (const text of texts) names.add(text)
  })
  return (name) => SUFFIXES.some((suffix) => names.has(`${name}${suffix}`))
}
