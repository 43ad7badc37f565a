/** A piece of the composition root: who hears of commits, of this process and of others. */
import type { Log } from '../base/index.ts'
import { type CatalogChange, CommitFollower, type WrittenKey } from '../store/index.ts'
import type { OpenedStorage } from './opened-storage.ts'

/** Called with the writes of a commit, so that outdated records leave memory. */
export type CommitListener = (written: readonly WrittenKey[]) => void

/** Called with what other processes have committed; called again when it rejects. */
type RemoteCommitListener = (changes: readonly CatalogChange[]) => void | Promise<void>

/** Those that hear of every commit. */
export class CommitListeners {
  readonly #listeners: CommitListener[] = []

  onCommit(listener: CommitListener): void {
    this.#listeners.push(listener)
  }

  /** Calls every listener. */
  notify(written: readonly WrittenKey[]): void {
    for (const listener of this.#listeners) listener(written)
  }
}

/** What other processes commit, as this one hears of it. */
export interface RemoteCommits {
  /** Why that is not known, or undefined while it is. */
  readonly problem: string | undefined
  /** Adds a listener; those that were added before are called before. */
  onChanges(listener: RemoteCommitListener): void
  /** Adds a listener that is called when a look begins. Its result is called when all commits found are reported. */
  onLook(listener: () => () => void): void
  /** Resolves when all that was committed before the call is reported. */
  readonly look: () => Promise<void>
  /** Begins to report all that was committed since it was opened. */
  start(): void
}

/**
 * Follows what other processes commit to a storage that is shared, from here on; undefined for one that is not.
 * Opened before anything of the catalog is read into memory, so that nothing is missed.
 */
export async function openRemoteCommits(
  parts: Pick<OpenedStorage, 'catalog' | 'isShared' | 'onCommits'> & {
    readonly commits: CommitListeners
    readonly log: Log
  },
  opened: AsyncDisposableStack,
): Promise<RemoteCommits | undefined> {
  const { catalog, commits, isShared, log } = parts
  if (!isShared) return undefined
  const listeners: RemoteCommitListener[] = []
  const lookListeners: (() => () => void)[] = []
  const follower = await CommitFollower.open({
    store: catalog,
    onChanges: async (changes) => {
      commits.notify(changes)
      for (const listener of listeners) await listener(changes)
    },
    onLook: () => {
      const ended = lookListeners.map((listener) => listener())
      return () => {
        for (const notify of ended) notify()
      }
    },
    onFailure: (error) => log.warn({ error }, 'cannot read commits of other processes'),
    onLost: (error) => {
      log.fatal({ error }, 'this process was disconnected for too long, its cache is out of date')
      // As any mistake that leaves memory wrong: the process ends, and a start reads all of it again.
      setImmediate(() => {
        throw error
      })
    },
  })
  opened.defer(() => follower.close())
  return {
    get problem() {
      return follower.problem
    },
    onChanges: (listener) => void listeners.push(listener),
    onLook: (listener) => void lookListeners.push(listener),
    look: () => follower.look(),
    start: () => {
      follower.start()
      // Between the looks that it takes anyway: a notice may be lost.
      parts.onCommits?.(() => void follower.look().catch(() => {}))
    },
  }
}
