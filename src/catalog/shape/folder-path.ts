import { characterCount } from '../../base/index.ts'
import { refuseField } from './record-checks.ts'

/** The folder above all others; it is always there. */
export const ROOT_FOLDER = '/Components'

/** The longest path of a folder. */
export const PATH_LENGTH_MAX = 1_024
const DEPTH_MAX = 32
/** What of a name decides its place in lists: row and index repeat it, and IDs may be names. */
export const LISTED_LENGTH_MAX = 100

/** A folder path without a slash at its end; refuses one that is not /Components or below it. */
export function readFolder(field: string, path: string): string {
  const trimmed = path.endsWith('/') ? path.slice(0, -1) : path
  const segments = trimmed.split('/')
  if (segments[0] !== '' || `/${segments[1]}` !== ROOT_FOLDER) {
    refuseField(field, `"${path.slice(0, 60)}" must start with ${ROOT_FOLDER}`)
  }
  if (segments.slice(1).some((segment) => segment.trim() === '')) {
    refuseField(field, `"${path.slice(0, 60)}" must not hold a folder without a name`)
  }
  if (!path.isWellFormed()) refuseField(field, 'holds half of a surrogate pair: it is no text')
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

/**
 * The list key of a component: below its folder, before the folders inside it. Its prefix
 * `folder + '/'` lists a folder with all below, `folder + '/\u0001'` only what lies directly in it.
 */
export function componentListKey(folder: string, name: string): string {
  if (name.length <= LISTED_LENGTH_MAX) return `${folder}/\u0001${name}`
  const isCut = name.codePointAt(LISTED_LENGTH_MAX - 1) !== name.charCodeAt(LISTED_LENGTH_MAX - 1)
  return `${folder}/\u0001${name.slice(0, isCut ? LISTED_LENGTH_MAX - 1 : LISTED_LENGTH_MAX)}`
}
