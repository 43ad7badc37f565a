import {
  type CatalogStore,
  type CatalogWrite,
  type JsonObject,
  withCommit,
} from '../../src/store/index.ts'

/** What the folder of a service held when it was killed. */
export interface AlertKill {
  /** When progress was saved last. */
  readonly markedMs: number
  /** Whether changes of states were committed between arm() and the kill. */
  readonly hasChanges: boolean
}

/** Kills a service between two steps of the process that evaluates alerts: its folder is copied around one of its commits. */
export class AlertKills {
  #freeze = () => {}
  #commitsLeft = Number.POSITIVE_INFINITY
  #isBefore = false
  #markedMs = 0
  #hasChanges = false
  #kill: AlertKill | undefined

  /** Stands between a service and its catalog. */
  readonly wrapCatalog = (store: CatalogStore): CatalogStore =>
    withCommit(store, async (writes, lease, ...rest) => {
      const isEvaluation = lease?.name === 'alerts'
      if (isEvaluation) this.#commitsLeft -= 1
      if (isEvaluation && this.#isBefore && this.#commitsLeft === 0) this.#end()
      const result = await store.commit(writes, lease, ...rest)
      if (isEvaluation) this.#note(writes)
      if (isEvaluation && this.#commitsLeft <= 0) this.#end()
      return result
    })

  /** Kills the service right before or after one of its next commits, counted from 1; 0 is at once. */
  arm(commit: number, isBefore: boolean, freeze: () => void): void {
    this.#freeze = freeze
    this.#commitsLeft = commit
    this.#isBefore = isBefore
    this.#hasChanges = false
    this.#kill = undefined
    if (commit === 0) this.#end()
  }

  /** Kills the service if it has made fewer commits than that; what the kill has left. */
  take(): AlertKill {
    this.#end()
    this.#commitsLeft = Number.POSITIVE_INFINITY
    const kill = this.#kill
    if (kill === undefined) throw new Error('BUG: nothing was killed')
    return kill
  }

  /** A service starts on what a kill has left; what the killed one still did is forgotten. */
  restart({ markedMs }: AlertKill): void {
    this.#markedMs = markedMs
  }

  #end(): void {
    if (this.#kill !== undefined) return
    this.#freeze()
    this.#kill = { markedMs: this.#markedMs, hasChanges: this.#hasChanges }
  }

  #note(writes: readonly CatalogWrite[]): void {
    for (const write of writes) {
      if (write.kind === 'alert_event') this.#hasChanges = true
      const isMark = write.op === 'put' && write.kind === 'alert_progress' && write.uid === 'mark'
      if (isMark) this.#markedMs = Number((write.body as JsonObject).atMs)
    }
  }
}
