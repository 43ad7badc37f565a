import type { Alert } from './alert-words.ts'

/** The fields of a new alert that the address suggests, as the page of a stream does. */
export function suggestedAlert(query: URLSearchParams): Partial<Alert> {
  const textOf = (name: string) => query.get(name) ?? ''
  const [componentUid, streamUid] = [textOf('component'), textOf('stream')]
  if (componentUid === '' || streamUid === '') return {}
  const watched = { componentUid, streamUid, componentId: textOf('of'), streamId: textOf('name') }
  const condition = textOf('condition') || 'value > '
  return { name: suggestedName(watched, condition), condition, streams: [watched] }
}

/** The most characters of a device and of a stream in a name, which has at most 512. */
const PART_LENGTH_MAX = 100

/** A name such as `freezer: temperature above -15`. */
function suggestedName(
  { componentId, streamId }: Alert['streams'][number],
  condition: string,
): string {
  // Whole characters: half of an emoji is not valid in a name.
  const cut = (name: string) => [...name].slice(0, PART_LENGTH_MAX).join('')
  const [device, stream] = [componentId, streamId].map(cut)
  const [, sign, threshold] = /^value ([<>]) (\S{1,40})$/.exec(condition) ?? []
  const side = sign === '>' ? 'above' : 'below'
  const limit = threshold === undefined ? '' : ` ${side} ${threshold}`
  return `${device === '' ? '' : `${device}: `}${stream}${limit}`
}
