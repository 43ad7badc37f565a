/** Bodies of files on their way, under the keys that samples name them by. */
import { createHash } from 'node:crypto'
import { readFileRecord } from '../files/index.ts'
import { BlobDamaged, type BlobInfo, type BlobStore, type SampleColumns } from '../store/index.ts'
import type { MoveParts } from './move-side.ts'
import { persist } from './persist.ts'

/** Copies the bodies that samples name and the target does not have; returns those that are incomplete in the source. */
export async function moveBodies(
  { source, target }: MoveParts,
  samples: SampleColumns,
): Promise<string[]> {
  const lost: string[] = []
  for (const body of bodiesIn(samples)) {
    if (await persist(() => isThere(target.blobs, body))) continue
    try {
      const isMoved = await persist(() => moveBody(source.blobs, target.blobs, body))
      if (!isMoved) lost.push(`${body.key} is missing`)
    } catch (error) {
      if (!(error instanceof BlobDamaged)) throw error
      lost.push(`${body.key} is damaged: ${error.message}`)
    }
  }
  return lost
}

/** Reads the bodies that samples name back in the target; returns those that do not match their samples. */
export async function compareBodies(
  { source, target }: MoveParts,
  samples: SampleColumns,
): Promise<{ count: number; differing: string[] }> {
  const differing: string[] = []
  let count = 0
  for (const body of bodiesIn(samples)) {
    count += 1
    const there = await persist(() => hashOf(target.blobs, body))
    if (there === body.sha256) continue
    // What the source has lost cannot be in the target.
    const isLost = there === undefined && (await hashOf(source.blobs, body)) === undefined
    if (!isLost) differing.push(`file ${body.key}`)
  }
  return { count, differing }
}

function bodiesIn({ count, texts }: SampleColumns): BlobInfo[] {
  const found: BlobInfo[] = []
  for (let at = 0; at < count; at += 1) {
    const text = texts?.[at]
    if (text === undefined) continue
    const { key, bytes, sha256 } = readFileRecord(text)
    found.push({ key, bytes, sha256 })
  }
  return found
}

/** Of no bytes nothing is read: it costs a look. */
async function isThere(blobs: BlobStore, body: BlobInfo): Promise<boolean> {
  const found = await blobs.read(body, { start: 0, end: 0 })
  found?.destroy()
  return found !== undefined
}

async function moveBody(from: BlobStore, to: BlobStore, body: BlobInfo): Promise<boolean> {
  const { key, bytes } = body
  const stored = await from.read(body, { start: 0, end: bytes })
  if (stored === undefined) return false
  try {
    await to.put(stored, { bytesMax: bytes, key })
    return true
  } finally {
    // A put that is refused before it reads leaves the body open.
    stored.destroy()
  }
}

async function hashOf(blobs: BlobStore, body: BlobInfo): Promise<string | undefined> {
  const stored = await blobs.read(body, { start: 0, end: body.bytes })
  if (stored === undefined) return undefined
  const hash = createHash('sha256')
  for await (const part of stored) hash.update(part as Uint8Array)
  return hash.digest('hex')
}
