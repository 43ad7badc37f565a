/** Bytes to IncomingSamples: every way in, by its wire form; nothing in here knows HTTP. */
export { bytesOfSamples, readFeedBody, SLICE_BYTES } from './json/feed-body.ts'
export { readId } from './json/parsed-array.ts'
export { RawStreamCache } from './json/raw-stream-cache.ts'
export { readPutOptions } from './url/put-query.ts'
export {
  parseSampleTime,
  parseWhole,
  type QueryPairs,
  readFlag,
  readLoosePairs,
  readQueryPairs,
  readSingle,
  readWhole,
} from './url/query-pairs.ts'
export { readUrlPut } from './url/url-put.ts'
