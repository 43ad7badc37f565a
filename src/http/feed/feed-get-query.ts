import {
  FEED_LIMIT_MAX,
  type QueryPairs,
  readFlag,
  readSingle,
  readWhole,
  refuse,
} from '../../base/index.ts'
import type { FeedFields } from '../../feed/index.ts'
import { readTimeParameter } from '../../time/index.ts'

/** What a feed, last_value or statistic call asks for. */
export interface FeedQuery {
  /** Samples from here on; undefined: from the first. */
  readonly from: number | undefined
  /** Samples before this; undefined: to the latest. */
  readonly until: number | undefined
  readonly limit: number
  readonly fields: FeedFields
  /** What the parameter says; undefined: the header Accept decides. */
  readonly format: 'json' | 'csv' | undefined
}

function readFormat(pairs: QueryPairs): FeedQuery['format'] {
  const format = readSingle(pairs, 'format')?.toLowerCase()
  if (format === undefined || format === 'csv' || format === 'json') return format
  return refuse('bad_input', { what: 'Parameter "format" must be csv or json' })
}

/** Reads the parameters that all the GET calls of samples share. */
export function readFeedQuery(pairs: QueryPairs): FeedQuery {
  const from = readTimeParameter(pairs, 'sd')
  const until = readTimeParameter(pairs, 'ed')
  if (from !== undefined && until === undefined) {
    refuse('bad_input', { what: 'Parameter "sd" also needs "ed"' })
  }
  if (from !== undefined && until !== undefined && from > until) {
    refuse('bad_input', { what: `Parameter "sd" (${from}) must not be after "ed" (${until})` })
  }
  const limit = readWhole(pairs, 'limit', { min: 1 }) ?? FEED_LIMIT_MAX
  return {
    from,
    until,
    format: readFormat(pairs),
    limit: Math.min(limit, FEED_LIMIT_MAX),
    fields: {
      compId: readFlag(pairs, 'retCompId'),
      streamId: readFlag(pairs, 'retStreamId'),
      fData: readFlag(pairs, 'retFData'),
      unit: readFlag(pairs, 'retUnit'),
      sdTime: readFlag(pairs, 'retIntvlSd'),
    },
  }
}
