import { Refusal, refusal } from '../errors.ts'
import { invariant } from '../invariant.ts'

/** Calls up to this many bytes never wait behind longer ones: a part of the budget is theirs. */
export const SMALL_CALL_BYTES_MAX = 512 * 1024

/** The part of the budget that is kept for small calls. */
const SMALL_PART = 1 / 8

/** How much of that callers may take who have not said who they are: the rest is left to those who did. */
const UNAUTHENTICATED_PART = 1 / 2

/** What calls may hold while they wait: bodies that have arrived before there was room for them. */
const WAITING_PART = 1 / 8

/** Clients give up after half a minute or a minute; an answer must come before that. */
const WAIT_MS_DEFAULT = 20_000

/** Each that waits keeps a connection and a timer. */
const WAITERS_MAX = 1_000

const RETRY_AFTER_SECONDS = 5

/** How a call waits for its share. */
export interface WaitOptions {
  /** Bytes that the call already holds while it waits. */
  readonly heldBytes?: number
  /** Ends the wait, as when the caller is gone. */
  readonly signal?: AbortSignal
}

/** How the budget stands, for metrics and tests. */
interface BudgetFigures {
  readonly bytesMax: number
  readonly usedBytes: number
  readonly waiting: number
  readonly refused: number
}

type Pool = 'small' | 'common'

interface Waiter {
  readonly bytes: number
  readonly heldBytes: number
  /** Whether it keeps others waiting: it holds a share and wants more. */
  readonly isHolder: boolean
  readonly settle: (refused?: Error) => void
}

/**
 * The bytes that all calls in flight may hold together: bodies, columns, and whatever else one call
 * needs for long. A call takes a share before it holds the bytes; beyond the budget it waits in the
 * order of arrival, for a bounded time and in bounded number, and is then asked to come again.
 *
 * A share may grow. Those who grow go before those who begin, since only they can give bytes back;
 * when all who hold a share wait to grow nobody ever would, so the last that asked is refused.
 */
export class MemoryBudget {
  readonly bytesMax: number
  /** The part of the budget that is kept for small calls. */
  readonly smallBytesMax: number
  /** What of it callers may hold together who have not said who they are. */
  readonly unauthenticatedBytesMax: number
  /** The most that one share can ever grow by. */
  readonly shareBytesMax: number
  readonly #waitingBytesMax: number
  readonly #waitMs: number
  /** Those who wait, in the order of arrival. */
  readonly #smallQueue = new Set<Waiter>()
  readonly #queue = new Set<Waiter>()
  readonly #growing = new Set<Waiter>()
  #smallBytes = 0
  #unauthenticatedBytes = 0
  #commonBytes = 0
  #waitingBytes = 0
  /** Shares that hold bytes outside the small part, and how many of them wait to grow. */
  #holders = 0
  #growingHolders = 0
  #refused = 0

  constructor(bytesMax: number, waitMs = WAIT_MS_DEFAULT) {
    this.bytesMax = bytesMax
    this.smallBytesMax = Math.floor(bytesMax * SMALL_PART)
    this.unauthenticatedBytesMax = Math.floor(this.smallBytesMax * UNAUTHENTICATED_PART)
    this.shareBytesMax = bytesMax - this.smallBytesMax
    this.#waitingBytesMax = Math.floor(bytesMax * WAITING_PART)
    this.#waitMs = waitMs
  }

  /** How the budget stands. */
  get figures(): BudgetFigures {
    return {
      bytesMax: this.bytesMax,
      usedBytes: this.#smallBytes + this.#unauthenticatedBytes + this.#commonBytes,
      waiting: this.#smallQueue.size + this.#queue.size + this.#growing.size,
      refused: this.#refused,
    }
  }

  /** How the budget stands, in Prometheus' text format. */
  metrics(): string {
    const { bytesMax, usedBytes, waiting, refused } = this.figures
    const line = (name: string, kind: string, help: string, value: number) =>
      `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${name} ${value}\n`
    const all = 'weir_memory_budget'
    return (
      line(`${all}_bytes`, 'gauge', 'Memory limit for requests in progress, in bytes.', bytesMax) +
      line(
        `${all}_used_bytes`,
        'gauge',
        'Memory used by requests in progress, in bytes.',
        usedBytes,
      ) +
      line(`${all}_waiting`, 'gauge', 'Requests waiting for memory.', waiting) +
      line(`${all}_refused_total`, 'counter', 'Requests rejected because memory was full.', refused)
    )
  }

  /** Counts the bytes of a small call, until `endSmall`; false when they have to wait. */
  addSmall(bytes: number): boolean {
    if (!this.#fitsSmall(bytes) || this.#smallQueue.size > 0) return false
    this.#smallBytes += bytes
    return true
  }

  #fitsSmall(bytes: number): boolean {
    return this.#smallBytes + this.#unauthenticatedBytes + bytes <= this.smallBytesMax
  }

  /**
   * Counts bytes that came from somebody who has not said who it is, until `endUnauthenticated`; false when
   * there is no room. Unauthenticated clients never wait: those who are known would have to wait behind them.
   */
  addUnauthenticated(bytes: number): boolean {
    const isFull = this.#unauthenticatedBytes + bytes > this.unauthenticatedBytesMax
    if (isFull || !this.#fitsSmall(bytes) || this.#smallQueue.size > 0) return false
    this.#unauthenticatedBytes += bytes
    return true
  }

  /** The refusal when unauthenticated clients have no memory left; it is counted. */
  refuseUnauthenticated(): Refusal {
    this.#refused += 1
    return overloaded()
  }

  /** Returns the bytes of an unauthenticated client. */
  endUnauthenticated(bytes: number): void {
    this.#unauthenticatedBytes -= bytes
    invariant(
      this.#unauthenticatedBytes >= 0,
      'released more than unauthenticated clients have taken',
    )
    this.#admitSmall()
  }

  /** Counts the bytes of a small call, until `endSmall`, once there is room; may refuse. */
  async waitSmall(bytes: number, options: WaitOptions = {}): Promise<void> {
    if (!this.addSmall(bytes)) await this.#wait(this.#smallQueue, bytes, options)
  }

  /** Gives the bytes of a small call back. */
  endSmall(bytes: number): void {
    this.#smallBytes -= bytes
    invariant(this.#smallBytes >= 0, 'more was given back than small calls have taken')
    this.#admitSmall()
  }

  #admitSmall(): void {
    for (const waiter of this.#smallQueue) {
      if (!this.#fitsSmall(waiter.bytes)) return
      this.#smallBytes += waiter.bytes
      waiter.settle()
    }
  }

  /** A share for a call, at once or when it is its turn; refuses with `overloaded`. */
  async take(bytes: number, options: WaitOptions = {}): Promise<MemoryShare> {
    if (bytes > SMALL_CALL_BYTES_MAX) {
      return this.takeNow(bytes) ?? this.#takeLater(bytes, options)
    }
    await this.waitSmall(bytes, options)
    return new MemoryShare(this.#account, { pool: 'small', bytes })
  }

  /** A share that takes nothing from the part for small calls; undefined when it has to wait. */
  takeNow(bytes: number): MemoryShare | undefined {
    requirePossible(bytes, this.shareBytesMax)
    const isFree = this.#queue.size === 0 && this.#growing.size === 0
    if (!isFree || this.#commonBytes + bytes > this.shareBytesMax) return undefined
    this.#commonBytes += bytes
    this.#holders += 1
    return new MemoryShare(this.#account, { pool: 'common', bytes })
  }

  async #takeLater(bytes: number, options: WaitOptions): Promise<MemoryShare> {
    await this.#wait(this.#queue, bytes, options)
    return new MemoryShare(this.#account, { pool: 'common', bytes })
  }

  /** A share that holds nothing and whose growth is never taken from the part for small calls. */
  emptyShare(): MemoryShare {
    return new MemoryShare(this.#account, { pool: 'common', bytes: 0 })
  }

  readonly #account: ShareAccount = {
    bytesMax: () => this.shareBytesMax,
    growNow: (isHolder, bytes) => {
      if (this.#commonBytes + bytes > this.shareBytesMax) return false
      this.#commonBytes += bytes
      if (!isHolder) this.#holders += 1
      return true
    },
    grow: (share, bytes, options) => {
      requirePossible(share.commonBytes + bytes, this.shareBytesMax)
      const isHolder = share.commonBytes > 0
      if (this.#account.growNow(isHolder, bytes)) return undefined
      const waiting = this.#wait(this.#growing, bytes, { ...options, isHolder })
      this.#breakDeadlock()
      return waiting
    },
    give: ({ pool, bytes, isLast }) => {
      if (pool === 'small') return this.endSmall(bytes)
      this.#commonBytes -= bytes
      if (isLast) this.#holders -= 1
      invariant(this.#commonBytes >= 0 && this.#holders >= 0, 'a share was given back twice')
      this.#admit()
    },
  }

  #admit(): void {
    for (const waiter of this.#growing) this.#tryAdmit(waiter)
    if (this.#growing.size === 0) {
      for (const waiter of this.#queue) if (!this.#tryAdmit(waiter)) return
    }
    this.#breakDeadlock()
  }

  #tryAdmit(waiter: Waiter): boolean {
    if (this.#commonBytes + waiter.bytes > this.shareBytesMax) return false
    this.#commonBytes += waiter.bytes
    if (!waiter.isHolder) this.#holders += 1
    waiter.settle()
    return true
  }

  #breakDeadlock(): void {
    if (this.#growingHolders === 0 || this.#growingHolders < this.#holders) return
    const last = [...this.#growing].findLast(({ isHolder }) => isHolder)
    last?.settle(overloaded())
  }

  #wait(
    queue: Set<Waiter>,
    bytes: number,
    options: WaitOptions & { readonly isHolder?: boolean },
  ): Promise<void> {
    const { heldBytes = 0, isHolder = false, signal } = options
    const isFull = this.figures.waiting >= WAITERS_MAX
    if (isFull || this.#waitingBytes + heldBytes > this.#waitingBytesMax) {
      this.#refused += 1
      return Promise.reject(overloaded())
    }
    return new Promise((resolve, reject) => {
      const onAbort = () => waiter.settle(overloaded())
      const timer = setTimeout(onAbort, this.#waitMs).unref()
      const waiter: Waiter = {
        bytes,
        heldBytes,
        isHolder,
        settle: (refused) => {
          if (!queue.delete(waiter)) return
          clearTimeout(timer)
          signal?.removeEventListener('abort', onAbort)
          this.#waitingBytes -= heldBytes
          if (isHolder) this.#growingHolders -= 1
          if (refused === undefined) return resolve()
          this.#refused += 1
          reject(refused)
          // It may have been the first, with others behind it that fit.
          queueMicrotask(() => {
            this.#admitSmall()
            this.#admit()
          })
        },
      }
      queue.add(waiter)
      this.#waitingBytes += heldBytes
      if (isHolder) this.#growingHolders += 1
      signal?.addEventListener('abort', onAbort, { once: true })
      if (signal?.aborted === true) onAbort()
    })
  }
}

interface ShareAccount {
  bytesMax(): number
  /** Whether it grows at once. */
  growNow(isHolder: boolean, bytes: number): boolean
  grow(
    share: { readonly commonBytes: number },
    bytes: number,
    options: WaitOptions,
  ): Promise<void> | undefined
  give(part: { readonly pool: Pool; readonly bytes: number; readonly isLast: boolean }): void
}

/** What one call has of the budget, until it is released. */
export class MemoryShare {
  readonly #account: ShareAccount
  #smallBytes: number
  #commonBytes: number
  #isGrowing = false
  #isReleased = false

  constructor(account: ShareAccount, taken: { readonly pool: Pool; readonly bytes: number }) {
    this.#account = account
    this.#smallBytes = taken.pool === 'small' ? taken.bytes : 0
    this.#commonBytes = taken.pool === 'common' ? taken.bytes : 0
  }

  /** The bytes that the call may hold. */
  get bytes(): number {
    return this.#smallBytes + this.#commonBytes
  }

  /** By how much the share could ever grow. */
  get growthMax(): number {
    return this.#account.bytesMax() - this.#commonBytes
  }

  /** Makes the share so large, waiting when it must; a smaller one is given back at once. */
  async resize(bytes: number, options: WaitOptions = {}): Promise<void> {
    if (this.resizeNow(bytes)) return
    const more = bytes - this.bytes
    this.#isGrowing = true
    try {
      const growing = this.#account.grow({ commonBytes: this.#commonBytes }, more, options)
      if (growing !== undefined) await growing
      this.#commonBytes += more
    } finally {
      this.#isGrowing = false
      if (this.#isReleased) this.#shrink(this.bytes)
    }
  }

  /** Makes the share so large if it need not wait for that; returns whether it did. */
  resizeNow(bytes: number): boolean {
    const more = bytes - this.bytes
    if (more <= 0) this.#shrink(-more)
    else if (this.#isReleased || !this.#account.growNow(this.#commonBytes > 0, more)) return false
    else this.#commonBytes += more
    return true
  }

  /** Gives everything back, at once or when a growth under way is decided. */
  release(): void {
    this.#isReleased = true
    if (!this.#isGrowing) this.#shrink(this.bytes)
  }

  #shrink(bytes: number): void {
    const common = Math.min(bytes, this.#commonBytes)
    const small = bytes - common
    this.#commonBytes -= common
    this.#smallBytes -= small
    const isLast = this.#commonBytes === 0
    if (common > 0) this.#account.give({ pool: 'common', bytes: common, isLast })
    if (small > 0) this.#account.give({ pool: 'small', bytes: small, isLast: false })
  }
}

function overloaded(): Refusal {
  return refusal('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS })
}

function requirePossible(bytes: number, bytesMax: number): void {
  if (bytes > bytesMax) throw memoryRefusal()
}

/** The refusal of a call that takes more memory than there can ever be for one. */
export function memoryRefusal(): Refusal {
  const what = 'This request needs more memory than one request may use'
  return new Refusal('body_too_large', `${what}. Split the request`)
}

/** What a call holds of the memory budget, and how it lets go of its body. */
export interface HeldMemory {
  readonly share: MemoryShare
  /** What of the share is for a thread that reads the body; undefined: it was not foreseen. */
  readonly readerBytes?: number
  /** Gives the body's memory back, once nobody reads it any more. */
  freeBody(): void
}
