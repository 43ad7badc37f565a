export {
  CHUNK_SAMPLES_MAX,
  chunkInfo,
  decodeChunk,
  decodedTextBytes,
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
