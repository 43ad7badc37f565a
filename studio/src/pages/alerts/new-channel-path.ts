import type { Place } from '../../app/place.ts'

/** The parameter with the page of the alert for which a channel is created, below `/alerts/`. */
const PARAMETER = 'alert'

/** The address of a new channel, with a link back to the page of an alert. */
export function newChannelPath({ path, query }: Place): string {
  const alert = path.slice(path.lastIndexOf('/') + 1)
  const text = query.toString()
  const back = new URLSearchParams({ [PARAMETER]: text === '' ? alert : `${alert}?${text}` })
  return `/alerts/channels/new?${back}`
}

/** The page of the alert that the address of a channel names; undefined where it names none. */
export function alertIn(query: URLSearchParams): string | undefined {
  const alert = query.get(PARAMETER) ?? ''
  return alert === '' ? undefined : `/alerts/${alert}`
}
