/** A piece of the composition root: listeners of incoming samples. */
import type { Identity } from '../auth/index.ts'
import type { Clock, Config, Log } from '../base/index.ts'
import type { Feed } from '../feed/index.ts'
import { LiveHub } from '../feed/live/index.ts'
import { fileUrl, readFileRecord } from '../files/index.ts'
import { cursorText, eventText } from '../http/index.ts'
import type { SampleStore } from '../store/index.ts'
import type { CommitListener } from './commit-listeners.ts'

/** Opens what live connections are served from. */
export function openLive(parts: {
  readonly feed: Feed
  readonly samples: SampleStore
  readonly identity: Identity
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly onCommit: (listener: CommitListener) => void
}): LiveHub {
  const { clock, config, feed, identity, log, samples } = parts
  const hub = new LiveHub({
    catalog: feed.catalog,
    store: samples,
    clock,
    figures: config.live,
    countChanges: () => identity.admission.changes,
    showFile: (text, place) => fileUrl({ ...place, name: readFileRecord(text).name }),
    frame: eventText,
    frameCursor: cursorText,
    onFailure: (error) => log.error({ error }, 'could not send live updates'),
  })
  parts.onCommit((writes) => hub.noteWritten(writes))
  return hub
}
