import { randomInt } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { FolderDamaged } from '../damage/folder-damaged.ts'
import { progressFileOf } from '../damage/progress-file.ts'
import { syncFolder } from '../disk/real-disk.ts'
import { openSamplesFile } from '../seal/open-samples-file.ts'
import { findBehind, findLost, findUnrepairable, type LostPart } from './check-folder.ts'
import { type FolderParts, readFolderParts, writeMark } from './folder-parts.ts'

const MARK_END = 2 ** 48 - 1

/** Gives the parts of a folder, which must all be there, their mark, unless they have it. */
export function markFolder(folder: string): void {
  const parts = readFolderParts(folder)
  const { catalog, samples, journal, files } = parts
  if (catalog.mark !== undefined) return
  const mark = samples.mark ?? journal.mark ?? files.mark ?? randomInt(1, MARK_END)
  syncFolder(folder)
  // In this order, a mark in catalog.db means that all parts have it, wherever a crash happens.
  for (const part of [journal, files, samples, catalog]) writeMark(folder, part, mark)
}

/**
 * Creates the lost parts of a folder, empty, and marks everything again, so that a lost part cannot
 * return later beside newer data. Returns the lost parts; the folder must be locked.
 */
export function acceptLoss(folder: string): LostPart[] {
  const found = readFolderParts(folder)
  const wrong = findUnrepairable(folder, found)
  if (wrong !== undefined) throw new FolderDamaged(wrong)
  const lost = [...findLost(found), ...findBehind(folder, found)]
  if (lost.length === 0) return []
  const mark = markToGive(found)
  // The catalog remembers the mark before: cut short, this can be done again.
  if (mark !== found.catalog.mark) writeMark(folder, found.catalog, mark)
  for (const name of ['journal', 'files']) mkdirSync(join(folder, name), { recursive: true })
  openSamplesFile(join(folder, 'samples.db')).close()
  syncFolder(folder)
  const { samples, files, journal } = readFolderParts(folder)
  for (const part of [samples, files, journal]) writeMark(folder, part, mark)
  // Last: cut short before, the command finds the same loss again.
  rmSync(progressFileOf(folder), { force: true })
  syncFolder(folder)
  return lost
}

/** A fresh mark, or the one that an acceptance cut short has given to the catalog already. */
function markToGive({ catalog, ...others }: FolderParts): number {
  const isCutShort = Object.values(others).some(
    ({ mark }) => mark !== undefined && mark === catalog.formerMark,
  )
  return isCutShort && catalog.mark !== undefined ? catalog.mark : randomInt(1, MARK_END)
}
