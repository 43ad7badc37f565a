import { characterCount } from '../../base/index.ts'
import type { Labels } from '../../store/index.ts'

/** Names of labels: those of Prometheus and OpenTelemetry are shorter. */
const LABEL_NAME_LENGTH_MAX = 200
const LABEL_LENGTH_MAX = 4_096
/** More than any agent adds. */
const LABELS_MAX = 64

/** What is wrong with labels; undefined for those that a stream may have. */
export function findLabelMistake(labels: Labels): string | undefined {
  let count = 0
  for (const [name, text] of Object.entries(labels)) {
    count += 1
    if (count > LABELS_MAX) return `A stream may have ${LABELS_MAX} labels`
    if (name === '' || isLonger(name, LABEL_NAME_LENGTH_MAX) || name.includes('\0')) {
      return `The name of a label must have 1 to ${LABEL_NAME_LENGTH_MAX} characters, none of them NUL`
    }
    if (typeof text !== 'string' || text === '' || isLonger(text, LABEL_LENGTH_MAX)) {
      const shown = JSON.stringify(name.slice(0, 60).toWellFormed())
      return `Label ${shown} must be a text of 1 to ${LABEL_LENGTH_MAX} characters`
    }
    if (!name.isWellFormed() || !text.isWellFormed()) return 'Labels must be valid Unicode'
  }
  return undefined
}

/** Whether a text has more characters. A character takes one or two units. */
function isLonger(text: string, charactersMax: number): boolean {
  if (text.length <= charactersMax) return false
  return text.length > 2 * charactersMax || characterCount(text) > charactersMax
}
