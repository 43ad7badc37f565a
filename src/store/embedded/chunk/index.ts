export { CHUNK_SAMPLES_MAX, type ChunkInfo, chunkInfo, decodeChunk, encodeChunk } from './chunk.ts'
export {
  concatColumns,
  cutColumns,
  emptyColumns,
  firstAtOrAfter,
  mergeColumns,
  sliceColumns,
} from './columns.ts'
export { DamagedBytes } from './damaged-bytes.ts'
