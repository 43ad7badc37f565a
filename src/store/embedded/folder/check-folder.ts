import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { FolderDamaged } from '../damage/folder-damaged.ts'
import { readProgress } from '../damage/progress-file.ts'
import { greatestHandle } from '../journal/greatest-handle.ts'
import { segmentName } from '../journal/segment.ts'
import { checkFormats } from './check-formats.ts'
import { type FolderPart, type FolderParts, holdsFiles, readFolderParts } from './folder-parts.ts'

/** How an operator goes on without what is lost. */
const ACCEPT_LOSS = 'weir folder accept-loss'

/** Where a restore puts a folder together before it moves it into its place. */
export const RESTORING = 'restoring'

/**
 * Refuses a folder of which a part is missing, cannot be read, or does not belong to the others, so
 * that nothing that was acknowledged goes unseen and no sample shows in another stream. Looks at every
 * part before any is opened for writing: a start that refuses a folder leaves it unchanged. The folder
 * must be locked.
 */
export function checkFolder(folder: string): void {
  if (existsSync(join(folder, RESTORING))) {
    throw new FolderDamaged(
      `A restore into ${folder} was not finished: restore again, or remove the folder ${RESTORING} in it`,
    )
  }
  checkFormats(folder)
  const parts = readFolderParts(folder, { isIdle: true })
  const wrong = findUnrepairable(folder, parts) ?? findUnknownStreams(folder, parts)
  if (wrong !== undefined) throw new FolderDamaged(wrong)
  const [lost] = [...findLost(parts), ...findBehind(folder, parts)]
  if (lost === undefined) return
  throw new FolderDamaged(
    `${lost.name} in ${folder} ${lost.what}: restore it from the backup that the rest of the folder ` +
      `comes from, or give up what it held with "${ACCEPT_LOSS}"`,
  )
}

/**
 * What nobody can go on with. Samples are kept under handles that only their own catalog can name:
 * another or an older catalog.db would give those handles to other streams, and show them there.
 */
export function findUnrepairable(folder: string, parts: FolderParts): string | undefined {
  const { catalog, samples } = parts
  const restore = 'restore both from the same backup'
  if (!catalog.isThere) {
    const isFilled = (part: FolderPart): boolean => part === samples || holdsFiles(folder, part)
    const filled = othersOf(parts).find((part) => part.isThere && isFilled(part))
    if (filled === undefined) return undefined
    return (
      `catalog.db in ${folder} is missing or empty, and only it can name the streams that ` +
      `${filled.name} holds: ${restore}, or set WEIR_DATA_DIR to another folder to start empty`
    )
  }
  if (samples.handle > catalog.handle) {
    return (
      `catalog.db in ${folder} is older than samples.db, which holds samples of streams ` +
      `that it does not know: ${restore}`
    )
  }
  return findForeign(folder, parts)
}

/** Samples in the journal of streams that the catalog has not made. */
function findUnknownStreams(
  folder: string,
  { catalog, samples, journal }: FolderParts,
): string | undefined {
  if (!catalog.isThere || !journal.isThere) return undefined
  const handle = greatestHandle(join(folder, journal.name), samples.progress)
  if (handle <= catalog.handle) return undefined
  return (
    `catalog.db in ${folder} is older than the journal, which holds samples of streams ` +
    'that it does not know: restore both from the same backup'
  )
}

/** Parts that carry different marks. */
function findForeign(folder: string, parts: FolderParts): string | undefined {
  const { catalog, samples, journal } = parts
  const marked = [catalog, ...othersOf(parts)].filter(({ mark }) => mark !== undefined)
  const stranger = marked.find(({ mark }) => mark !== marked[0].mark)
  if (stranger === undefined) return undefined
  // An accepted loss that a crash cut short: catalog.db had its mark first, the journal has it last.
  const isCutShort = journal.mark !== catalog.mark || stranger !== samples
  if (stranger.mark === catalog.formerMark && isCutShort) return undefined
  return (
    `${marked[0].name} and ${stranger.name} in ${folder} come from different data folders, or from ` +
    'before and after a loss that was accepted: restore both from the same backup'
  )
}

/** A part that is lost, and how that shows. */
export interface LostPart {
  readonly name: string
  readonly what: string
}

/** The parts without which a folder can go on, though not with what they held. */
export function findLost(parts: FolderParts): LostPart[] {
  const { catalog, samples } = parts
  const mark = catalog.mark ?? samples.mark
  // Streams are only made once every part is there, and marks go to catalog.db and samples.db last.
  if (catalog.handle === 0 && mark === undefined) return []
  return othersOf(parts).flatMap((part) => {
    const what = lossOf(part, mark)
    return what === undefined ? [] : [{ name: part.name, what }]
  })
}

/**
 * The parts that do not hold what they held: their newest part was taken away, as a -wal or a segment of
 * the journal, or does not check. What was lost so is not made up for by any other part.
 */
export function findBehind(folder: string, { catalog, samples, journal }: FolderParts): LostPart[] {
  const recorded = readProgress(folder)
  const behind: LostPart[] = []
  const wal = 'its -wal file was taken away or is damaged, or it is from an older backup'
  if (catalog.isThere && catalog.progress < recorded.catalogCursor) {
    const lost = recorded.catalogCursor - catalog.progress
    behind.push({ name: 'catalog.db', what: `misses the last ${lost} changes: ${wal}` })
  }
  if (samples.isThere && samples.progress < recorded.sealedSegment) {
    behind.push({ name: 'samples.db', what: `misses what was sealed last: ${wal}` })
  }
  const newest = segmentName(recorded.begunSegment)
  const isSealed = samples.progress >= recorded.begunSegment
  if (journal.isThere && !isSealed && !existsSync(join(folder, journal.name, newest))) {
    behind.push({ name: 'journal', what: `misses its newest segment, ${newest}` })
  }
  return behind
}

function lossOf(part: FolderPart, mark: number | undefined): string | undefined {
  if (!part.isThere) return 'is missing or empty, though samples were stored'
  if (part.mark === mark) return undefined
  if (part.mark === undefined) return 'was emptied, or is older than the rest of the folder'
  return 'is from before a loss that was accepted'
}

function othersOf({ samples, journal, files }: FolderParts): FolderPart[] {
  return [samples, journal, files]
}
