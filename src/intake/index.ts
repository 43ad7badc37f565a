/**
 * Samples as they are sent, to IncomingSamples: one reader for every form and transport. A
 * reader is given what was sent, where streams are found if it looks for them itself (StreamSource),
 * and its options; it answers all samples or refuses all. Nothing in here knows HTTP.
 */

export { bytesOfSamples } from './bytes-of-samples.ts'
export { DoorLog } from './door-log.ts'
export { DoorWriter, type WriteOutcome } from './door-writer.ts'
export { seriesOfField } from './influx/influx-series.ts'
export { isUnreadable, readLineHead } from './influx/line-head.ts'
export { LineReader } from './influx/line-reader.ts'
export { PRECISION_NAMES, type Precision, readPrecision } from './influx/line-time.ts'
export {
  INLINE_PARSE_BYTES_MAX,
  isBatchBegun,
  readerBytesOf,
  readJsonSamples,
  SLICE_BYTES,
} from './json/json-samples.ts'
export { OtlpReader } from './otlp/otlp-reader.ts'
export { transcodeJson } from './otlp/transcode-json.ts'
export { previewLines } from './preview-lines.ts'
export { RemoteWriteReader, type RemoteWriteVersion } from './prometheus/remote-write-reader.ts'
export { inflateSnappy, snappyLength } from './prometheus/snappy.ts'
export { SeriesCache } from './series-cache.ts'
export { StreamCache } from './stream-cache.ts'
export { readPutOptions } from './url/read-put-options.ts'
export { readUrlSamples, warnIgnoredValues } from './url/url-samples.ts'
