import { type FileHandle, open, rename, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type BlobCheck, BlobDamaged, type BlobInfo } from '../../ports/blob-port.ts'
import type { ScrubPass } from '../../ports/scrub-port.ts'
import { type BlockReader, readExactly } from './block-reader.ts'
import { BLOCK_BYTES, readTrailer, trailerBytesOf, writeTrailer } from './block-sums.ts'
import { codeOf, syncBodyFolder, unlinkIfThere, writeAll } from './body-files.ts'
import { sumWholeBody } from './whole-bodies.ts'

/** Free space that is left to uploads and the journal when a body is copied to get its checksums. */
const SPARE_BYTES = 512 * 1024 * 1024

/** A report names this many damaged blocks of a body; the rest are counted. */
const NAMED_BLOCKS_MAX = 10

type Pass = Pick<ScrubPass, 'mayGoOn' | 'onChecked'>

/** The checksums that stand behind a body; undefined when there are none, or none that check. */
export async function readSums(file: FileHandle, blob: BlobInfo): Promise<Uint32Array | undefined> {
  const bytes = trailerBytesOf(blob.bytes)
  if ((await file.stat()).size !== blob.bytes + bytes) return undefined
  const trailer = await readExactly(file, blob, { at: blob.bytes, bytes })
  return readTrailer(blob.key, blob, trailer)
}

/** Holds every block of a body against its checksum. */
export async function checkBlocks(
  reader: BlockReader,
  blockCount: number,
  pass: Pass,
): Promise<BlobCheck> {
  const faults: string[] = []
  for (let index = 0; index < blockCount; index += 1) {
    if (!(await pass.mayGoOn())) return { outcome: 'stopped' }
    try {
      pass.onChecked(1, await reader.checkBlock(index))
    } catch (cause) {
      if (!(cause instanceof BlobDamaged)) throw cause
      pass.onChecked(1, 0)
      faults.push(cause.message)
    }
  }
  if (faults.length === 0) return { outcome: 'whole' }
  const named = faults.slice(0, NAMED_BLOCKS_MAX).join('; ')
  const more = faults.length - NAMED_BLOCKS_MAX
  return { outcome: 'damaged', what: more > 0 ? `${named}; and ${more} more` : named }
}

/**
 * Holds a body without valid checksums against its SHA-256, and writes it again with checksums behind
 * it where the disk has room. The copy replaces the body by a rename, after it is synced.
 */
export async function checkWholeBody(
  file: FileHandle,
  blob: BlobInfo,
  way: { readonly path: string; readonly incoming: string; readonly pass: Pass },
): Promise<BlobCheck> {
  const { size } = await file.stat()
  const { pass, path } = way
  const copy = await openCopy(path, way.incoming, blob)
  try {
    const sums = await sumWholeBody(file, blob, async (piece) => {
      await copy?.write(piece)
      pass.onChecked(0, piece.length)
      return await pass.mayGoOn()
    })
    if (sums === undefined) return { outcome: 'stopped' }
    pass.onChecked(Math.max(1, Math.ceil(blob.bytes / BLOCK_BYTES)), 0)
    await copy?.finish(writeTrailer(blob.key, { bytes: blob.bytes, sums }))
  } catch (cause) {
    if (!(cause instanceof BlobDamaged)) throw cause
    return { outcome: 'damaged', what: cause.message }
  } finally {
    await copy?.dispose()
  }
  if (size === blob.bytes) return { outcome: 'whole' }
  const what = 'its checksums do not check; the body itself is whole by its SHA-256'
  return { outcome: 'damaged', what }
}

interface Copy {
  write(piece: Buffer): Promise<void>
  finish(trailer: Buffer): Promise<void>
  dispose(): Promise<void>
}

/** A copy on its way to replace a body; one that the disk refuses is given up without a failure. */
async function openCopy(path: string, incoming: string, blob: BlobInfo): Promise<Copy | undefined> {
  const { bavail, bsize } = await statfs(dirname(path))
  if (bavail * bsize < blob.bytes + SPARE_BYTES) return undefined
  let isGivenUp = false
  const file = await open(incoming, 'wx').catch(() => undefined)
  if (file === undefined) return undefined
  const trying = async (step: () => Promise<void>) => {
    if (isGivenUp) return
    await step().catch((cause: unknown) => {
      if (codeOf(cause) === undefined) throw cause
      isGivenUp = true
    })
  }
  return {
    write: (piece) => trying(() => writeAll(file, piece)),
    finish: (trailer) =>
      trying(async () => {
        await writeAll(file, trailer)
        await file.datasync()
        // A body that was deleted meanwhile does not come back; the sweep takes what slips through.
        await stat(path)
        await rename(incoming, path)
        await syncBodyFolder(dirname(path))
      }),
    dispose: async () => {
      await file.close()
      await unlinkIfThere(incoming)
    },
  }
}
