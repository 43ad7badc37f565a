import type { Alert } from './alert-words.ts'

/** The fields of a new alert that the address suggests, as the page of a stream does. */
export function suggestedAlert(query: URLSearchParams): Partial<Alert> {
  const textOf = (name: string) => query.get(name) ?? ''
  const [componentUid, streamUid] = [textOf('component'), textOf('stream')]
  if (componentUid === '' || streamUid === '') return {}
  const watched = { componentUid, streamUid, componentId: textOf('of'), streamId: textOf('name') }
  const condition = textOf('condition') || 'value > '
  return { name: textOf('name'), condition, streams: [watched] }
}
