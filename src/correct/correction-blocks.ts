/** The samples of corrections as they were, as bodies beside those of files. */
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { refuse } from '../base/index.ts'
import type { CorrectionBlock, JobBook } from '../derivation/index.ts'
import type { BlobStore } from '../store/index.ts'
import { type BlockSamples, packBlock, unpackBlock } from './block-codec.ts'

/** Texts of a block are bounded by how many samples it has, and by the longest text. */
const BLOCK_BYTES_MAX = 2 ** 31

/** Stores the samples of a block. */
export async function writeBlock(
  blobs: Pick<BlobStore, 'put'>,
  block: BlockSamples,
  span: { readonly from: number; readonly until: number },
): Promise<CorrectionBlock> {
  const source = Readable.from([packBlock(block)])
  const { key, bytes, sha256 } = await blobs.put(source, { bytesMax: BLOCK_BYTES_MAX })
  return { ...span, count: block.samples.count, blob: { key, bytes, sha256 } }
}

/** Reads the samples of a block; refuses when they are gone. */
export async function readBlock(
  blobs: Pick<BlobStore, 'read'>,
  { blob }: CorrectionBlock,
): Promise<BlockSamples> {
  const found = await blobs.read(blob, { start: 0, end: blob.bytes })
  if (found === undefined) refuse('conflict', { what: 'The samples as they were are gone' })
  return unpackBlock(await buffer(found))
}

/** The keys of the bodies that corrections need: a sweep leaves them alone. */
export async function* correctionBodies(book: JobBook, nowMs: number): AsyncGenerator<string> {
  for await (const { status, blocks = [], correction } of book.walk()) {
    const isKept = status === 'RUNNING' || (correction?.undoUntil ?? 0) > nowMs - GRACE_MS
    if (isKept) for (const { blob } of blocks) yield blob.key
  }
}

/** An undo that began in time may take a while. */
const GRACE_MS = 6 * 3_600_000
