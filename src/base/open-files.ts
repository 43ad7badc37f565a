import { existsSync, readFileSync } from 'node:fs'

const LIMITS_FILE = '/proc/self/limits'

/** How many files this process may have open, or undefined where the system does not say. */
export function findOpenFilesMax(): number | undefined {
  if (!existsSync(LIMITS_FILE)) return undefined
  const soft = /^Max open files +(\d+)/m.exec(readFileSync(LIMITS_FILE, 'utf8'))?.[1]
  return soft === undefined ? undefined : Number(soft)
}

/** Databases, threads, processes that run SQL, the journal and its next segments hold some ninety handles. */
const OWN_FILES = 96

/** Of the other handles: the rest is for the bodies of files that connections send and fetch. */
const CONNECTIONS_PART = 3 / 4

/** The most connections that leave enough handles for what the service itself has to open. */
export function connectionsWithin(openFilesMax: number): number {
  return Math.max(1, Math.floor((openFilesMax - OWN_FILES) * CONNECTIONS_PART))
}

/** How many bodies of files may be open at once: what connections leave. */
export function bodyFilesWithin(openFilesMax = Number.POSITIVE_INFINITY): number {
  const others = openFilesMax - OWN_FILES - connectionsWithin(openFilesMax)
  return openFilesMax === Number.POSITIVE_INFINITY ? openFilesMax : Math.max(1, others)
}
