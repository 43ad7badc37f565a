import type { Clock } from '../../../base/index.ts'
import type { PayloadKey } from '../../payload-port.ts'
import type { Cluster } from '../connection/cluster.ts'
import { OpenPages } from './open-pages.ts'
import { OrderedUids } from './ordered-uids.ts'

/** Payloads of this process without an outcome that it remembers; others it finds when it starts again. */
const UNSETTLED_MAX = 100_000

/** A payload that this process was given and that has no outcome yet. */
interface UnsettledPayload {
  readonly key: PayloadKey
  readonly page: string
  hasAssigned: boolean
}

/** A process as long as it writes under one id: the UIDs that it gives, its pages, what it has not settled. */
export class WritingProcess {
  readonly uids = new OrderedUids()
  readonly pages: OpenPages
  readonly unsettled = new Map<string, UnsettledPayload>()

  constructor(deps: {
    readonly cluster: Cluster
    readonly clock: Clock
  }) {
    this.pages = new OpenPages({ ...deps, writer: this.uids.writer })
  }

  get writer(): string {
    return this.uids.writer
  }

  /** Remembers a payload until it is settled. */
  remember(payload: UnsettledPayload): void {
    this.unsettled.set(payload.key.uid, payload)
    if (this.unsettled.size <= UNSETTLED_MAX) return
    for (const uid of this.unsettled.keys().take(1)) this.unsettled.delete(uid)
  }

  /** Forgets a connector. */
  forget(connectorUid: string): void {
    this.pages.forget(connectorUid)
    for (const [uid, { key }] of this.unsettled) {
      if (key.connectorUid === connectorUid) this.unsettled.delete(uid)
    }
  }
}
