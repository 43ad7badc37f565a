/**
 * The order of writes to samples, kept by PostgreSQL. Table `stamp` has the last stamp that was given; table
 * `sample_writer` has a row for each process that writes, with a stamp up to which its writes have ended.
 *
 * A write is answered only when the row of its process was still there after it had reached its nodes. So a process that
 * deletes the row of a process that stands still knows that no write of it counts any more which he does not see.
 */
import { randomInt } from 'node:crypto'
import { type Clock, nextIteration, refusal, systemClock } from '../../../base/index.ts'
import type { SampleOrder, WritePlace } from '../../ports/sample-order.ts'
import type { Database, SoleClient } from '../connection/database.ts'
import { nowInSql } from '../connection/database-clock.ts'
import { messageOfPostgres } from '../connection/postgres-away.ts'

/** How often a process reports up to which stamp its writes have ended. */
const BEAT_MS = 1_000
/** A process that was silent so long, by the database's clock, is not waited for. */
const SILENT_SECONDS_MAX = 60
const WRITER_END = 2 ** 31
/** Stamps that are reserved at once. Below 2^53 there are enough for thirty million connections. */
const RESERVED = 2 ** 28
const RETRY_AFTER_SECONDS = 1

const TAKE = `UPDATE stamp SET value = value + $2
  RETURNING value, EXISTS (SELECT 1 FROM sample_writer WHERE writer = $1)`
const BEAT = `WITH mine AS (UPDATE sample_writer
    SET low = greatest(low, $2), seen_at = clock_timestamp()
    WHERE writer = $1 RETURNING low)
  SELECT EXISTS (SELECT 1 FROM mine), (SELECT min(low) FROM sample_writer), (SELECT value FROM stamp),
    ${nowInSql('$3')}`
const FORGET_SILENT = `DELETE FROM sample_writer
  WHERE seen_at < clock_timestamp() - interval '${SILENT_SECONDS_MAX} seconds'`
const REGISTER = `INSERT INTO sample_writer (writer, low, seen_at)
  SELECT $1, value, clock_timestamp() FROM stamp`
const LEAVE = 'DELETE FROM sample_writer WHERE writer = $1'
const RAISE = 'UPDATE stamp SET value = greatest(value, $1)'

/** A statement here takes no lock for long and waits for no standby. One that takes longer stands still with its server. */
const ANSWER_MS_MAX = 4_000

/** The stamps that processes have reserved where PostgreSQL cannot forget them. */
interface ReservedStamps {
  /** Reserves `count` unused stamps above `floor`; returns the first. */
  reserve(count: number, floor: number): Promise<number>
  /** The greatest stamp that any process has reserved. */
  last(): Promise<number>
}

interface SampleOrderDeps {
  readonly database: Pick<Database, 'connectAlone' | 'read'>
  readonly stamps: ReservedStamps
  readonly clock?: Clock
  /** In the place of the database's clock, where a test has one of its own. */
  readonly sharedNowMs?: () => number
  /** Called with the milliseconds that this machine's clock is ahead of the database's; negative when it is behind. */
  readonly onClock?: (aheadMs: number) => void
}

/** Who waits for the next statement: a write that begins, one that ends under a number, or what is not waited for. */
interface Waiting extends PromiseWithResolvers<WritePlace> {
  readonly what: 'begin' | 'next' | { readonly endUnder: number }
}

/** A connection, and the stamps that may be used on it. */
interface Session {
  readonly client: SoleClient
  /** A stamp that was taken when this was smaller is not used: the next server may give it, too. */
  reservedUpTo: number
}

export class PostgresSampleOrder implements SampleOrder {
  readonly #deps: SampleOrderDeps
  readonly #clock: Clock
  /** The stamps of writes under way. */
  readonly #running = new Set<number>()
  #writer = 0
  #session: Session | undefined
  #waiting: Waiting[] = []
  #beats: PromiseWithResolvers<void>[] = []
  #asking: Promise<void> | undefined
  #isClosed = false
  #timer: NodeJS.Timeout | undefined
  #endedUpTo = 0
  /** The greatest stamp that an answer has contained. */
  #lastStamp = 0
  #nowMs = 0

  private constructor(deps: SampleOrderDeps) {
    this.#deps = deps
    this.#clock = deps.clock ?? systemClock
  }

  static async open(deps: SampleOrderDeps): Promise<PostgresSampleOrder> {
    const order = new PostgresSampleOrder(deps)
    await order.refresh()
    order.#timer = setInterval(() => void order.refresh().catch(() => {}), BEAT_MS).unref()
    return order
  }

  get writer(): number {
    return this.#writer
  }

  get endedUpTo(): number {
    return this.#endedUpTo
  }

  get nowMs(): number {
    return this.#nowMs
  }

  async write<T>(work: (place: WritePlace) => Promise<T>): Promise<T> {
    const place = await this.#ask('begin')
    try {
      const result = await work(place)
      await this.#ask({ endUnder: place.writer })
      return result
    } finally {
      this.#running.delete(place.stamp)
    }
  }

  async next(): Promise<number> {
    return (await this.#ask('next')).stamp
  }

  async refresh(): Promise<void> {
    const beat = Promise.withResolvers<void>()
    this.#beats.push(beat)
    this.#pump()
    await beat.promise
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#isClosed = true
    // What it asks may register it again.
    await this.#asking
    const session = this.#session
    this.#session = undefined
    await session?.client.run(LEAVE, [this.#writer]).catch(() => {})
    await session?.client.end()
  }

  #ask(what: Waiting['what']): Promise<WritePlace> {
    const waiting = { what, ...Promise.withResolvers<WritePlace>() }
    this.#waiting.push(waiting)
    this.#pump()
    return waiting.promise
  }

  /** One statement after the other, each for all that wait: none may overtake another. */
  #pump(): void {
    this.#asking ??= this.#work().finally(() => {
      this.#asking = undefined
    })
  }

  async #work(): Promise<void> {
    // Calls that arrive in one turn of the loop share the statement.
    await nextIteration()
    while (this.#waiting.length > 0 || this.#beats.length > 0) {
      const waiting = this.#waiting
      this.#waiting = []
      if (waiting.length > 0) await this.#take(waiting)
      const beats = this.#beats
      this.#beats = []
      if (beats.length > 0) await this.#beat(beats)
    }
  }

  async #take(waiting: readonly Waiting[]): Promise<void> {
    try {
      const count = waiting.filter(({ what }) => typeof what === 'string').length
      const last = await this.#trying((session) => this.#takeStamps(session, count))
      let stamp = last - count
      const writer = this.#writer
      for (const { what, resolve, reject } of waiting) {
        if (typeof what !== 'string') {
          if (what.endUnder === writer) resolve({ stamp: last, writer })
          else reject(refusal('store_away', { retryAfterSeconds: RETRY_AFTER_SECONDS }))
          continue
        }
        stamp += 1
        // At once: the next statement may already need the progress of writes.
        if (what === 'begin') this.#running.add(stamp)
        resolve({ stamp, writer })
      }
    } catch (error) {
      for (const one of waiting) one.reject(messageOfPostgres(error))
    }
  }

  /** Takes stamps under a number that others wait for; the last of them. */
  async #takeStamps(session: Session, count: number): Promise<number> {
    for (;;) {
      const { rows } = await session.client.run(TAKE, [this.#writer, count])
      const [last, isThere] = rows[0] as [number, boolean]
      this.#lastStamp = Math.max(this.#lastStamp, last)
      if (last > session.reservedUpTo) await this.#learnReserved(session, last)
      else if (isThere) return last
      if (!isThere) await this.#register(session)
    }
  }

  async #beat(beats: readonly PromiseWithResolvers<void>[]): Promise<void> {
    try {
      await this.#trying((session) => this.#notify(session))
      for (const beat of beats) beat.resolve()
    } catch (error) {
      for (const beat of beats) beat.reject(messageOfPostgres(error))
    }
  }

  /** Reports how far the writes of this process have ended, and reads those of all. */
  async #notify(session: Session): Promise<void> {
    const before = this.#clock.now()
    const entry = [this.#writer, this.#endedHere(), this.#deps.sharedNowMs?.() ?? null]
    const { rows } = await session.client.run(BEAT, entry)
    const [isThere, low, value, nowMs] = rows[0] as [boolean, number | null, number, number]
    this.#lastStamp = Math.max(this.#lastStamp, value)
    this.#reportClock(before, nowMs)
    this.#nowMs = nowMs
    if (low !== null) this.#endedUpTo = Math.max(this.#endedUpTo, low)
    if (!isThere) {
      await this.#register(session)
      await this.#notify(session)
      return
    }
    // Not on this connection: that a process is not waited for must survive the loss of the server.
    await this.#deps.database.read(FORGET_SILENT)
  }

  /**
   * Below the first write that runs; without any, the last stamp that was heard of, as those that come are greater. Not what
   * the database has when it receives it: a statement of a connection that was lost may run later than one of the next.
   */
  #endedHere(): number {
    let ended = this.#lastStamp
    for (const stamp of this.#running) ended = Math.min(ended, stamp - 1)
    return ended
  }

  #reportClock(before: number, theirs: number): void {
    const after = this.#clock.now()
    // The database read its time at some moment in between.
    if (theirs < before) this.#deps.onClock?.(before - theirs)
    else this.#deps.onClock?.(theirs > after ? after - theirs : 0)
  }

  /** Does something on the connection, once more on another where it was lost. */
  async #trying<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const known = this.#session
    if (known !== undefined) {
      try {
        return await work(known)
      } catch {
        this.#session = undefined
        void known.client.end()
      }
    }
    const session = await this.#connect()
    this.#session = session
    return await work(session)
  }

  async #connect(): Promise<Session> {
    if (this.#isClosed) throw new Error('Cannot order writes: the store is closed')
    const client = await this.#deps.database.connectAlone(ANSWER_MS_MAX)
    try {
      // A server that crashed, or another one, may have forgotten stamps: it goes on above all that were reserved.
      await client.run('SET synchronous_commit = off')
      const session = { client, reservedUpTo: 0 }
      await this.#reserve(session, 0)
      return session
    } catch (error) {
      void client.end()
      throw error
    }
  }

  /** Learns how far stamps are reserved; another process may have done that, as each does on a new connection. */
  async #learnReserved(session: Session, wanted: number): Promise<void> {
    const last = await this.#deps.stamps.last()
    if (last < wanted) await this.#reserve(session, wanted)
    else session.reservedUpTo = last
  }

  async #reserve(session: Session, floor: number): Promise<void> {
    const first = await this.#deps.stamps.reserve(RESERVED, floor)
    await session.client.run(RAISE, [first - 1])
    session.reservedUpTo = first + RESERVED - 1
  }

  /** Is known by another number from here on; what runs under the last one is not answered. */
  async #register({ client }: Session): Promise<void> {
    this.#running.clear()
    const writer = randomInt(1, WRITER_END)
    await client.run(REGISTER, [writer])
    this.#writer = writer
  }
}
