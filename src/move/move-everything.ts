/** A whole move: from an empty target, or one that an earlier try has filled in part, to data that are the same. */
import { refuse } from '../base/index.ts'
import { cursorWrite } from '../derivation/index.ts'
import { CatalogConflict } from '../store/index.ts'
import { isMoved } from './compare-documents.ts'
import { compareStreams } from './compare-streams.ts'
import {
  type ComparedCatalog,
  compareCatalogs,
  putMissing,
  takeOutDiffering,
} from './move-catalog.ts'
import { comparePayloads, handleMap, movePayloads } from './move-payloads.ts'
import { type MoveRecord, moveWrite, NO_PROGRESS, readMove } from './move-record.ts'
import type { MoveParts, MoveTarget } from './move-side.ts'
import { moveStreams } from './move-streams.ts'
import { moveTouched } from './move-touched.ts'
import { persist } from './persist.ts'

/** What a move came to. */
export interface MoveReport {
  readonly documents: number
  readonly streams: number
  readonly samples: number
  readonly files: number
  readonly payloads: number
  /** Samples that this try has copied, and how long that took. */
  readonly copied: { readonly samples: number; readonly elapsedMs: number }
  /** Bodies of files that the source itself has not whole. */
  readonly lostBodies: readonly string[]
  /** What is not the same on both sides; empty when the move is done. */
  readonly differing: readonly string[]
}

/**
 * Moves everything, and reads all of it back on both sides. The target takes a service only when nothing
 * differs; till then the same move may be begun again, however it ended. One that is done is only compared.
 */
export async function moveEverything(parts: MoveParts): Promise<MoveReport> {
  const { target } = parts
  const { record, isFresh } = await beginMove(parts)
  if (record.isDone) return await compareOnly(parts)
  if (!isFresh) await takeOutDiffering(parts)
  await putMissing(parts, isFresh)
  const catalog = await compareCatalogs(parts)
  if (catalog.differing.length > 0) return reportOf(catalog, { differing: catalog.differing })
  const { pairs } = catalog
  const handleOf = handleMap(pairs)
  await movePayloads(parts, handleOf)
  const { lostBodies, ...copied } = await moveStreams(parts, pairs, record)
  const compared = await compareStreams(parts, pairs, true)
  const { cursor, touched } = await moveTouched(parts, pairs, handleOf)
  const again = await compareStreams(parts, touched, false)
  const payloads = await comparePayloads(parts, handleOf)
  const differing = [...compared.differing, ...again.differing, ...payloads.differing]
  const isDone = differing.length === 0
  const done = { ...record, ...NO_PROGRESS, isDone }
  if (isDone) await persist(() => target.catalog.commit([cursorWrite(cursor), moveWrite(done)]))
  const { streams, samples, files } = compared
  const figures = { streams, samples, files, payloads: payloads.payloads, copied, lostBodies }
  return reportOf(catalog, { ...figures, differing })
}

async function compareOnly(parts: MoveParts): Promise<MoveReport> {
  const catalog = await compareCatalogs(parts)
  const compared = await compareStreams(parts, catalog.pairs, false)
  const payloads = await comparePayloads(parts, handleMap(catalog.pairs))
  const differing = [...catalog.differing, ...compared.differing, ...payloads.differing]
  return reportOf(catalog, { ...compared, payloads: payloads.payloads, differing })
}

function reportOf(
  { documents }: ComparedCatalog,
  found: Partial<MoveReport> & Pick<MoveReport, 'differing'>,
): MoveReport {
  const nothing = { streams: 0, samples: 0, files: 0, payloads: 0, lostBodies: [] }
  return { documents, ...nothing, copied: { samples: 0, elapsedMs: 0 }, ...found }
}

/** Finds or makes the record of this move; refuses a target that holds anything else, and changes nothing there. */
async function beginMove({
  source,
  target,
}: MoveParts): Promise<{ record: MoveRecord; isFresh: boolean }> {
  const found = await persist(() => readMove(target.catalog))
  if (found !== undefined) {
    if (found.source !== source.identity)
      refuseFilled(target, `data moved from ${found.sourceName}`)
    await takeKey({ source, target })
    return { record: found, isFresh: false }
  }
  if (await holdsDocuments(target)) refuseFilled(target, 'data')
  await takeKey({ source, target })
  const begun = { source: source.identity, sourceName: source.name, isDone: false, ...NO_PROGRESS }
  try {
    await target.catalog.commit([moveWrite(begun, 0)])
  } catch (error) {
    if (!(error instanceof CatalogConflict)) throw error
    refuseFilled(target, 'data of another move in progress')
  }
  return { record: begun, isFresh: true }
}

/** Refuses a target whose secrets are under another key: what is moved could not be read there. */
async function takeKey({ source, target }: Pick<MoveParts, 'source' | 'target'>): Promise<void> {
  const own = source.keyFingerprint
  if (own === undefined) return
  if ((target.keyFingerprint ?? own) !== own) {
    refuse('conflict', {
      what:
        `Cannot move from ${source.name} to ${target.name}: secrets are encrypted with different keys, so API keys, ` +
        `connections, and second factors would not work there. Copy secret.key of ${source.name} to ${target.name}, or use ` +
        'another target. Nothing was changed',
    })
  }
  await persist(() => target.holdKey(own))
}

async function holdsDocuments({ whole }: MoveTarget): Promise<boolean> {
  for await (const page of whole.everything()) if (page.some(isMoved)) return true
  return false
}

function refuseFilled({ name }: MoveTarget, what: string): never {
  refuse('conflict', {
    what: `Cannot move to ${name}, which contains ${what}. Nothing was changed`,
  })
}
