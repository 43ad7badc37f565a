import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { type FileIdentity, identitiesOf } from '../disk/file-identity.ts'
import { openSamplesFile } from './open-samples-file.ts'
import type { SealerCommand, SealerReply, SealerThreadData } from './sealer-protocol.ts'
import { TouchedTable } from './touched-table.ts'

/** The sealer's writing side as the main thread knows it. */
export interface SealerLink {
  /** Asks for something; the reply comes later. */
  send(command: AskedOfSealer): void
  /** Ends it: a seal under way stops where it may. */
  close(): Promise<void>
}

type AskedOfSealer = Exclude<SealerCommand, { op: 'close' }>

/** Who hears of the sealer. */
export interface SealerEvents {
  onReply(reply: SealerReply): void
  onDied(error: unknown): void
}

/** Where the sealer works. */
export type SealerPlace = Pick<SealerThreadData, 'file' | 'journalFolder'>

/**
 * Opens samples.db, and has it written by a thread of its own from the first segment on: a service that has nothing to
 * seal yet neither waits for the thread nor holds its memory.
 */
export function startSealerThread(
  place: SealerPlace,
  faults: SharedArrayBuffer | undefined,
  events: SealerEvents,
): SealerLink {
  return new LateSealer(place, faults, events)
}

class LateSealer implements SealerLink {
  readonly #place: SealerPlace
  readonly #faults: SharedArrayBuffer | undefined
  readonly #events: SealerEvents
  /** The one writing connection, until the thread has its own. */
  #db: DatabaseSync | undefined
  #touched: TouchedTable | undefined
  #opened: readonly FileIdentity[] = []
  #thread: SealerThread | undefined
  /** What a thread was asked for that may not come to be. */
  #asked: AskedOfSealer[] = []

  constructor(place: SealerPlace, faults: SharedArrayBuffer | undefined, events: SealerEvents) {
    this.#place = place
    this.#faults = faults
    this.#events = events
    try {
      this.#db = openSamplesFile(place.file)
      this.#touched = new TouchedTable(this.#db)
      this.#opened = identitiesOf(place.file)
      queueMicrotask(() => events.onReply({ op: 'ready' }))
    } catch (error) {
      this.#letGo()
      queueMicrotask(() => events.onDied(error))
    }
  }

  send(command: AskedOfSealer): void {
    if (this.#thread === undefined && command.op === 'watch' && this.#touched !== undefined) {
      const { id, handles } = command
      const what = this.#touched.tryWatch(handles)
      queueMicrotask(() => this.#events.onReply({ op: 'watched', id, what }))
      return
    }
    if (this.#db !== undefined) this.#asked.push(command)
    try {
      this.#thread ??= this.#start()
      this.#thread.send(command)
    } catch (error) {
      queueMicrotask(() => this.#refuseAll(error))
    }
  }

  async close(): Promise<void> {
    await this.#thread?.close()
    this.#letGo()
  }

  #start(): SealerThread {
    const control = new SharedArrayBuffer(4)
    const given = { ...this.#place, opened: this.#opened, faults: this.#faults, control }
    return new SealerThread(given, {
      onReply: (reply) => {
        if (reply.op !== 'ready') return this.#events.onReply(reply)
        this.#asked = []
        this.#letGo()
      },
      onDied: (error) => {
        if (this.#db === undefined) return this.#events.onDied(error)
        this.#thread = undefined
        this.#refuseAll(error)
      },
    })
  }

  /** The thread never came to be, for lack of memory or file handles say: the next who asks starts another. */
  #refuseAll(error: unknown): void {
    const what = `the thread that seals cannot start: ${String(error)}`
    for (const command of this.#asked.splice(0)) this.#events.onReply(refuse(command, what))
  }

  #letGo(): void {
    this.#db?.close()
    this.#db = undefined
    this.#touched = undefined
  }
}

class SealerThread implements SealerLink {
  readonly #cells: Int32Array<SharedArrayBuffer>
  readonly #worker: Worker
  readonly #exited: Promise<void>

  constructor(workerData: SealerThreadData, events: SealerEvents) {
    this.#cells = new Int32Array(workerData.control)
    const url = new URL('./sealer-thread.ts', import.meta.url)
    this.#worker = new Worker(url, { workerData, name: 'sealer' })
    this.#exited = new Promise((resolve) => this.#worker.once('exit', () => resolve()))
    this.#worker.on('message', (reply: SealerReply) => events.onReply(reply))
    this.#worker.on('error', (error) => events.onDied(error))
  }

  send(command: AskedOfSealer): void {
    this.#worker.postMessage(command)
  }

  async close(): Promise<void> {
    Atomics.store(this.#cells, 0, 1)
    this.#worker.postMessage({ op: 'close' } satisfies SealerCommand)
    await this.#exited
  }
}

/** Means that the command failed and may work when repeated. */
function refuse(command: AskedOfSealer, what: string): SealerReply {
  if (command.op === 'mend') return { op: 'mended', isDone: false, damages: [] }
  if (command.op === 'watch') return { op: 'watched', id: command.id, what }
  return { op: 'failed', what, passing: what, damages: [] }
}
