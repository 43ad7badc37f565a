import {
  LIVE_NAMES_MAX,
  type QueryPairs,
  readFlag,
  readId,
  readSingle,
  refuse,
} from '../../base/index.ts'
import type { LiveForm, LiveItem, LiveName, LiveSelection } from '../../feed/live/index.ts'

/** What a live call asks for. */
interface LiveQuery {
  readonly selection: LiveSelection
  readonly form: LiveForm
  readonly wantsCatalog: boolean
  /** Where a client goes on that cannot send the header Last-Event-ID. */
  readonly since: string | undefined
}

/** Reads the parameters of a live call; the order of "comp" and "stream" says which belong together. */
export function readLiveQuery(pairs: QueryPairs): LiveQuery {
  return {
    selection: readSelection(pairs),
    form: { isLast: readFlag(pairs, 'last'), isFormatted: readFlag(pairs, 'retFData') },
    wantsCatalog: readFlag(pairs, 'catalog'),
    since: readSingle(pairs, 'lastEventId'),
  }
}

function readSelection(pairs: QueryPairs): LiveSelection {
  const items: { component: LiveName; streams: LiveName[] }[] = []
  let names = 0
  for (const [name, value] of pairs) {
    const isComponent = name === 'comp' || name === 'compUid'
    if (!isComponent && name !== 'stream' && name !== 'streamUid') continue
    names += 1
    if (names > LIVE_NAMES_MAX) {
      const what = `A live request can name at most ${LIVE_NAMES_MAX} components and streams`
      refuse('bad_input', { what })
    }
    const text = readId(value, 'the query', name)
    const named: LiveName = name.endsWith('Uid') ? { uid: text } : { id: text }
    if (isComponent) {
      items.push({ component: named, streams: [] })
      continue
    }
    const last = items.at(-1)
    if (last === undefined) {
      refuse('bad_input', { what: `Parameter "${name}" needs its "comp" or "compUid" before it` })
    }
    last.streams.push(named)
  }
  return items satisfies LiveItem[]
}
