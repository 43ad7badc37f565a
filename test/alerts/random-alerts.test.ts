// Alone: it opens and kills services of its own, each with a clock that it moves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AlertHome, BEGIN, HOUR, MINUTE, openAlertHome } from '../support/alert-home.ts'
import { type AlertKill, AlertKills } from '../support/alert-kills.ts'
import { AlertModel, type ModelAlert } from '../support/alert-model.ts'
import { Random, roundsBy, testSeeds } from '../support/random.ts'

/** A clock was set back, and minutes later a kill came before the limited arrivals were stored. */
const SET_BACK_BEFORE_KILL = 1_630_787_722
const STREAMS = 3
const ALERTS = 4
const STEPS = 60
/** Commits of an evaluation, a stop, and a start. */
const COMMITS_MAX = 8

/** An alert and its model on each stream. */
interface Pair {
  readonly uid: string
  readonly isSilent: boolean
  readonly models: readonly AlertModel[]
}

type Samples = (readonly [time: number, value: number])[]

function randomAlert(random: Random): ModelAlert {
  return {
    high: random.integer(3, 8),
    low: random.pick([undefined, undefined, random.integer(0, 4)]),
    forMs: random.pick([0, 0, MINUTE, 5 * MINUTE]),
    silentForMs: random.pick([0, 0, 3 * MINUTE, 20 * MINUTE]),
    maxAgeMs: random.pick([2 * MINUTE, 30 * MINUTE]),
    startedMs: BEGIN,
  }
}

async function save(home: AlertHome, alert: ModelAlert, streams: readonly object[]): Promise<Pair> {
  const { high, low, forMs, silentForMs, maxAgeMs } = alert
  const { uid } = await home.alert({
    streams,
    condition: `value > ${high}`,
    clearCondition: low === undefined ? '' : `value < ${low}`,
    forMs,
    silentForMs,
    maxAgeMs,
  })
  return { uid, isSilent: silentForMs > 0, models: streams.map(() => new AlertModel(alert)) }
}

/** Some samples around the time of the clock: on time, late, ahead, or corrections of what was put before. */
function randomSamples(random: Random, nowMs: number, known: readonly number[]): Samples {
  const samples = new Map<number, number>()
  const put = (time: number) => samples.set(time, random.integer(0, 10))
  const late = () => nowMs - random.integer(0, 40) * (MINUTE / 10)
  if (known.length > 0 && random.next() < 0.15) {
    // A late sample, a correction of the newest, and a newer one, in one call.
    const newest = Math.max(...known)
    for (const time of [Math.min(late(), newest - 1), newest, Math.max(nowMs, newest + 1)])
      put(time)
    return [...samples]
  }
  const count = random.pick([1, 1, 1, 2, 5])
  for (let at = 0; at < count; at += 1) {
    put(random.pick([nowMs, nowMs, late(), nowMs + 5_000, known.at(-1) ?? nowMs]))
  }
  return [...samples]
}

/** Alerts on streams of one component, and what their models say. */
class World {
  readonly #home: AlertHome
  readonly #kills: AlertKills
  readonly #random: Random
  readonly #streamIds: readonly string[]
  readonly #streamUids: readonly string[]
  readonly #known: readonly number[][]
  #pairs: readonly Pair[] = []
  #step = 0
  /** Whether the clock was ever set back. */
  #isSetBack = false

  private constructor(
    { home, kills, random }: { home: AlertHome; kills: AlertKills; random: Random },
    streams: Readonly<Record<string, string>>,
  ) {
    this.#home = home
    this.#kills = kills
    this.#random = random
    this.#streamIds = Object.keys(streams)
    this.#streamUids = Object.values(streams)
    this.#known = this.#streamIds.map(() => [])
  }

  static async open(home: AlertHome, kills: AlertKills, random: Random): Promise<World> {
    const ids = Array.from({ length: STREAMS }, (_, at) => `s${at}`)
    const component = await home.component('c', ids)
    const world = new World({ home, kills, random }, component.streams)
    const streams = world.#streamUids.map((streamUid) => ({
      componentUid: component.uid,
      streamUid,
    }))
    const pairs: Pair[] = []
    for (let at = 0; at < ALERTS; at += 1) {
      pairs.push(await save(home, randomAlert(random), streams))
    }
    world.#pairs = pairs
    return world
  }

  get #nowMs(): number {
    return this.#home.clock.now()
  }

  /** Lets time pass, puts samples, and stops or kills the service in the midst of some of it. */
  async step(step: number): Promise<void> {
    this.#step = step
    const luck = this.#random.next()
    await this.#passTime(luck < 0.1)
    await this.#put(luck >= 0.1 && luck < 0.4)
    if (luck >= 0.4 && luck < 0.5) await this.#restart(luck < 0.45)
    await this.#home.settle()
    this.#advance()
    await this.#check()
  }

  #advance(): void {
    const now = this.#nowMs
    for (const { models } of this.#pairs) for (const model of models) model.advance(now)
  }

  async #passTime(isKilled: boolean): Promise<void> {
    const { clock } = this.#home
    if (isKilled) this.#arm()
    if (this.#random.next() < 0.1) {
      const ms = this.#random.pick([-5 * MINUTE, HOUR])
      this.#isSetBack ||= ms < 0
      clock.jump(Math.max(BEGIN - this.#nowMs, ms))
      for (const { models } of this.#pairs) {
        for (const model of models) model.setBack(this.#nowMs)
      }
    } else clock.advance(this.#random.pick([0, 1_000, 30_000, MINUTE, 4 * MINUTE]))
    await this.#home.settle()
    const kill = isKilled ? this.#kills.take() : undefined
    // What was not committed is found out again, with what is known of arrivals then.
    if (kill === undefined || kill.hasChanges) this.#advance()
    if (kill === undefined) return
    await this.#recover(kill)
    this.#advance()
  }

  async #put(isKilled: boolean): Promise<void> {
    const at = this.#random.integer(0, STREAMS)
    const now = this.#nowMs
    const models = this.#pairs.map((pair) => pair.models[at])
    let samples = randomSamples(this.#random, now, this.#known[at])
    // Once the clock was set back, an alert may judge the last sample for the first time (decision 026).
    if (this.#isSetBack && models.some((model) => model.hasSkippedLast)) {
      const { lastTime } = models[0]
      const later = samples.map(([time, value]) => [Math.max(time, lastTime + 1), value] as const)
      samples = [...new Map(later)]
    }
    if (isKilled) {
      // A correction right before a kill may be missed, if time had changed the state before (decision 026).
      const isMissed = (time: number) =>
        models.some((model) => model.isSilent && model.lastTime === time)
      const moved = samples.map(
        ([time, value]) => [isMissed(time) ? time + 1 : time, value] as const,
      )
      samples = [...new Map(moved)]
      // So may a late sample, unless it is known how far was evaluated.
      const isOld = samples.some(([time]) => models.some((model) => model.isOld(time, now)))
      if (isOld) await this.#home.service.app.alertWorker.settle({ keeps: true })
    }
    const query = new URLSearchParams({
      compId: 'c',
      [this.#streamIds[at]]: samples.map(([, value]) => value).join(','),
      time: samples.map(([time]) => time).join(','),
    })
    const answer = await this.#home.client.put(query.toString())
    assert.equal(answer.status, 200, answer.text)
    if (isKilled) this.#arm()
    this.#known[at].push(...samples.map(([time]) => time))
    const newest = Math.max(...samples.map(([time]) => time))
    const isLate = models.some((model) => newest <= model.lastTime)
    for (const model of models) model.arrive(samples, { nowMs: now, isLate })
    const last = Math.max(...models.map(({ lastTime }) => lastTime))
    for (const model of models) model.follow(last)
    if (!isKilled) return
    await this.#home.settle()
    await this.#recover(this.#kills.take())
  }

  /** Stops and starts the service, or kills it while it stops or starts. */
  async #restart(isKilled: boolean): Promise<void> {
    const { service } = this.#home
    if (isKilled) this.#arm()
    if (this.#random.next() < 0.3) await service.sealAndRestart()
    else await service.restart()
    await this.#home.signIn()
    if (!isKilled) return
    await this.#home.settle()
    await this.#recover(this.#kills.take())
  }

  #arm(): void {
    const { service } = this.#home
    const commit = this.#random.integer(0, COMMITS_MAX)
    this.#kills.arm(commit, this.#random.next() < 0.5, () => service.freeze())
  }

  /** Starts the service again after a kill, and sometimes once more after another one during this start. */
  async #recover(kill: AlertKill, isSealed = false): Promise<void> {
    const isKilledAgain = this.#random.next() < 0.3
    await this.#home.service.restartKilled(() => {
      this.#kills.restart(kill)
      if (isKilledAgain) this.#arm()
    })
    await this.#home.signIn()
    await this.#home.settle()
    this.#learnArrivals({ markedMs: kill.markedMs, isSealed }, isKilledAgain)
    if (isKilledAgain) await this.#recover(this.#kills.take(), true)
  }

  /** After a kill, what is known of arrivals lies within bounds. */
  #learnArrivals(
    kill: { readonly markedMs: number; readonly isSealed: boolean },
    isKilledAgain: boolean,
  ): void {
    const { catalog, alertWorker } = this.#home.service.app
    const isSilenceWatched = this.#pairs.some(({ isSilent }) => isSilent)
    for (const [place, streamUid] of this.#streamUids.entries()) {
      const handle = catalog.index.streamByUid(this.#home.service.orgUid, streamUid)
      const arrivalMs = Math.max(BEGIN, alertWorker.arrivalMsOf(handle))
      for (const { models } of this.#pairs) {
        const { least, most } = models[place].kill(kill, this.#nowMs)
        const isWithin = arrivalMs >= least && arrivalMs <= Math.max(most, kill.markedMs)
        // Late samples are no arrivals where nobody watches silence.
        assert.ok(
          isWithin || !isSilenceWatched,
          `step ${this.#step}: ${least} ≤ ${arrivalMs} ≤ ${most}`,
        )
        models[place].recover(arrivalMs, { isKilledAgain })
      }
    }
  }

  async #check(): Promise<void> {
    for (const { uid, models } of this.#pairs) {
      const events = await this.#eventsOf(uid)
      for (const [at, streamUid] of this.#streamUids.entries()) {
        const found = events.get(streamUid) ?? []
        assert.deepEqual(found, models[at].events, `step ${this.#step}, stream ${at}`)
      }
    }
  }

  /** The events of an alert as the model writes them, by stream. */
  async #eventsOf(uid: string): Promise<Map<string, string[]>> {
    const { body, text } = await this.#home.owner('GET', `/api/alert/${uid}/event?limit=1000`)
    assert.ok(body.event, text)
    const events = new Map<string, string[]>()
    for (const { streamUid, state, cause, startedMs } of body.event.toReversed()) {
      const own = events.getOrInsertComputed(streamUid, () => [])
      own.push(`${state} ${cause} ${startedMs}`)
    }
    return events
  }
}

const seeds = testSeeds(roundsBy({ everyRun: 3, nightly: 40 }))
for (const seed of new Set([SET_BACK_BEFORE_KILL, ...seeds])) {
  test(`states and events are those of the model, over late samples, corrections, clock jumps, and kills (seed ${seed})`, async (t) => {
    t.diagnostic(`WEIR_TEST_SEED=${seed}`)
    const random = new Random(seed)
    const kills = new AlertKills()
    const home = await openAlertHome({ wrapCatalog: kills.wrapCatalog })
    t.after(() => home.close())
    const world = await World.open(home, kills, random)
    for (let step = 0; step < STEPS; step += 1) await world.step(step)
  })
}
