import { characterCount } from '../../base/index.ts'
import { refuseField } from './record-checks.ts'

/** The folder above all others; it is always there. */
export const ROOT_FOLDER = '/Components'

/** The longest path of a folder. */
export const PATH_LENGTH_MAX = 1_024
const DEPTH_MAX = 32
/** A folder path without a slash at its end; refuses one that is not /Components or below it. */
export function readFolder(field: string, path: string): string {
  const trimmed = path.endsWith('/') ? path.slice(0, -1) : path
  const segments = trimmed.split('/')
  if (segments[0] !== '' || `/${segments[1]}` !== ROOT_FOLDER) {
    refuseField(field, `"${path.slice(0, 60)}" must start with ${ROOT_FOLDER}`)
  }
  if (segments.slice(1).some((segment) => segment.trim() === '')) {
    refuseField(field, `"${path.slice(0, 60)}" must not contain a folder without a name`)
  }
  if (!path.isWellFormed()) refuseField(field, 'contains an unpaired surrogate')
  if (characterCount(trimmed) > PATH_LENGTH_MAX) {
    refuseField(field, `has more than ${PATH_LENGTH_MAX} characters`)
  }
  if (segments.length - 1 > DEPTH_MAX) refuseField(field, `has more than ${DEPTH_MAX} levels`)
  return trimmed
}

/** The folder and all above it, from below /Components down: what must exist for it to exist. */
export function foldersAlong(path: string): string[] {
  const segments = path.split('/').slice(2)
  return segments.map((_, index) => `${ROOT_FOLDER}/${segments.slice(0, index + 1).join('/')}`)
}

/** The path that a store keeps: below the root folder, '' for the root folder itself. */
export function storedFolder(path: string): string {
  return path.slice(ROOT_FOLDER.length)
}

/** The path of a folder that a store keeps. */
export function catalogFolder(stored: string): string {
  return ROOT_FOLDER + stored
}
