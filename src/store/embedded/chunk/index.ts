export {
  CHUNK_SAMPLES_MAX,
  type ChunkClaim,
  type ChunkInfo,
  type ChunkOwner,
  chunkInfo,
  decodeChunk,
  encodeChunk,
  namesOwner,
} from './chunk.ts'
export {
  areSameColumns,
  concatColumns,
  cutColumns,
  emptyColumns,
  mergeColumns,
  sliceColumns,
} from './columns.ts'
export { DamagedBytes } from './damaged-bytes.ts'
