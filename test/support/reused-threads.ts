/**
 * Lets the threads of closed stores serve the next ones. A thread takes about 60 ms of CPU time to start, a run of all
 * tests opens a thousand stores, and each has two threads. Nightly every store has threads of its own.
 *
 * A reused thread evaluates its module again, with the data and the port of the new store; the modules behind it stay
 * loaded, as those of the main thread do. A thread that fails ends, and is not used again.
 */
import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes, syncBuiltinESMExports } from 'node:module'
import threads, {
  MessageChannel,
  type MessagePort,
  type Transferable,
  Worker,
  type WorkerOptions,
} from 'node:worker_threads'
import { isNightly } from './random.ts'

/** Modules that leave nothing behind, and how each signals the end of its work. */
const ENDS: Readonly<Record<string, ThreadEnd>> = {
  'catalog-writer.ts': 'closed port',
  'payload-writer.ts': 'closed port',
  'sealer-thread.ts': 'closed port',
  'journal-thread.ts': 'evaluated module',
}

type ThreadEnd = 'closed port' | 'evaluated module'

/** What a host learns when it starts. */
export interface HostStart {
  readonly url: string
  readonly ends: ThreadEnd
  /** The module without types, for all uses but the first. */
  readonly source: string
}

/** What a host learns for each use. */
export interface ThreadUse {
  readonly workerData: unknown
  readonly port: MessagePort
}

/** Threads that wait for their next use, by module. */
const idle = new Map<string, Worker[]>()
const sources = new Map<string, string>()

/** A thread as its users know it: a Worker for one use. */
class ReusedThread extends EventEmitter {
  readonly #port: MessagePort
  readonly #host: Worker
  /** Its thread may serve another by now. */
  #isOver = false

  constructor(url: URL, ends: ThreadEnd, options: WorkerOptions) {
    super()
    const { workerData, transferList = [], ...others } = options
    this.#host = idle.get(url.href)?.pop() ?? startHost(url, ends, others)
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    const closed = new Promise<void>((resolve) => port1.once('close', () => resolve()))
    port1.on('message', (message) => this.emit('message', message))
    const onError = (error: unknown) => this.emit('error', error)
    const onExit = async (code: number) => {
      // What the thread has said is heard first, also through ports of its own.
      await closed
      setImmediate(() => this.emit('exit', code))
    }
    this.#host.on('error', onError).on('exit', onExit)
    this.#host.once('message', () => {
      this.#isOver = true
      this.#host.off('error', onError).off('exit', onExit).unref()
      idle.set(url.href, [...(idle.get(url.href) ?? []), this.#host])
      void onExit(0)
    })
    const use: ThreadUse = { workerData, port: port2 }
    this.#host.ref()
    this.#host.postMessage(use, [...transferList, port2])
  }

  postMessage(message: unknown, transferList: Transferable[] = []): void {
    this.#port.postMessage(message, transferList)
  }

  ref(): void {
    if (!this.#isOver) this.#host.ref()
    this.#port.ref()
  }

  unref(): void {
    if (!this.#isOver) this.#host.unref()
    this.#port.unref()
  }

  async terminate(): Promise<number> {
    return this.#isOver ? 0 : await this.#host.terminate()
  }
}

function startHost(url: URL, ends: ThreadEnd, options: WorkerOptions): Worker {
  const source = sources.getOrInsertComputed(url.href, () =>
    stripTypeScriptTypes(readFileSync(url, 'utf8')),
  )
  const start: HostStart = { url: url.href, ends, source }
  const own = new URL('./thread-host.ts', import.meta.url)
  const host = new Worker(own, { ...options, workerData: start })
  return host.once('exit', () => forget(url.href, host))
}

/** The next use of a thread that has ended would wait forever. */
function forget(module: string, host: Worker): void {
  const waiting = idle.get(module) ?? []
  if (!waiting.includes(host)) return
  idle.set(
    module,
    waiting.filter((one) => one !== host),
  )
  throw new Error(`A thread ended after its use, because of something that ${module} left in it`)
}

if (!isNightly) {
  threads.Worker = new Proxy(Worker, {
    construct(target, [url, options = {}]: [string | URL, WorkerOptions?]) {
      const ends = url instanceof URL ? ENDS[url.pathname.split('/').at(-1) ?? ''] : undefined
      if (ends === undefined) return new target(url, options)
      return new ReusedThread(url as URL, ends, options)
    },
  })
  syncBuiltinESMExports()
}
