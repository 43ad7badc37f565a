// Alone: it opens and kills services of its own, each with a clock that it moves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AlertHome, BEGIN, MINUTE, openAlertHome } from '../support/alert-home.ts'
import { AlertModel, type ModelAlert } from '../support/alert-model.ts'
import { Random, roundsBy, testSeeds } from '../support/random.ts'

const STREAMS = 3

/** An alert and its model on each stream. */
interface Pair {
  readonly uid: string
  readonly isSilent: boolean
  readonly models: readonly AlertModel[]
}

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
function randomSamples(random: Random, nowMs: number, known: readonly number[]) {
  const count = random.pick([1, 1, 1, 2, 5])
  const samples = new Map<number, number>()
  for (let at = 0; at < count; at += 1) {
    const late = nowMs - random.integer(0, 40) * (MINUTE / 10)
    const time = random.pick([nowMs, nowMs, late, nowMs + 5_000, known.at(-1) ?? nowMs])
    samples.set(time, random.integer(0, 10))
  }
  return [...samples]
}

/** The events of an alert as the model writes them, by stream. */
async function eventsOf(home: AlertHome, uid: string): Promise<Map<string, string[]>> {
  const { body, text } = await home.owner('GET', `/api/alert/${uid}/event?limit=1000`)
  assert.ok(body.event, text)
  const events = new Map<string, string[]>()
  for (const { streamUid, state, cause, startedMs } of body.event.toReversed()) {
    const own = events.get(streamUid) ?? []
    own.push(`${state} ${cause} ${startedMs}`)
    events.set(streamUid, own)
  }
  return events
}

for (const seed of testSeeds(roundsBy({ everyRun: 3, nightly: 40 }))) {
  test(`states and events are those of the model, over late samples, corrections, and restarts (seed ${seed})`, async (t) => {
    t.diagnostic(`WEIR_TEST_SEED=${seed}`)
    const random = new Random(seed)
    const home = await openAlertHome()
    t.after(() => home.close())
    const streamIds = Array.from({ length: STREAMS }, (_, at) => `s${at}`)
    const component = await home.component('c', streamIds)
    const streams = streamIds.map((id) => ({
      componentUid: component.uid,
      streamUid: component.streams[id],
    }))
    const pairs: Pair[] = []
    for (let at = 0; at < 4; at += 1) pairs.push(await save(home, randomAlert(random), streams))
    const known = streamIds.map((): number[] => [])
    const isSilenceWatched = pairs.some(({ isSilent }) => isSilent)
    const check = async (step: number) => {
      for (const { uid, models } of pairs) {
        const events = await eventsOf(home, uid)
        for (const [at, { streamUid }] of streams.entries()) {
          assert.deepEqual(
            events.get(streamUid) ?? [],
            models[at].events,
            `step ${step}, stream ${at}`,
          )
        }
      }
    }
    for (let step = 0; step < 60; step += 1) {
      const ms = random.pick([0, 1_000, 30_000, MINUTE, 4 * MINUTE])
      await home.advance(ms)
      const now = home.clock.now()
      for (const { models } of pairs) for (const model of models) model.advance(now)
      const luck = random.next()
      // A kill before anything is evaluated: when samples arrived is known from the mark alone.
      const isCutShort = luck >= 0.2 && luck < 0.3
      if (isCutShort) await home.service.app.alertWorker.settle({ keeps: true })
      const at = random.integer(0, STREAMS)
      // A correction right before a kill may be missed, if time had changed the state before (decision 026).
      const samples = randomSamples(random, now, isCutShort ? [] : known[at])
      const query = new URLSearchParams({
        compId: 'c',
        [streamIds[at]]: samples.map(([, value]) => value).join(','),
        time: samples.map(([time]) => time).join(','),
      })
      const answer = await home.client.put(query.toString())
      assert.equal(answer.status, 200, answer.text)
      known[at].push(...samples.map(([time]) => time))
      for (const { models } of pairs) models[at].arrive(samples, now)
      if (luck < 0.1) {
        await home.service.restart()
        await home.signIn()
      } else if (luck < 0.3) {
        if (!isCutShort) await home.settle()
        const { markedMs } = home.service.app.alertWorker
        await home.service.restartKilled()
        await home.signIn()
        await home.settle()
        for (const [place, { streamUid }] of streams.entries()) {
          const { catalog, alertWorker } = home.service.app
          const handle = catalog.index.streamByUid(home.service.orgUid, streamUid)
          const arrivalMs = Math.max(BEGIN, alertWorker.arrivalMsOf(handle))
          for (const { models } of pairs) {
            const { least, most } = models[place].kill(markedMs, now)
            const isWithin = arrivalMs >= least && arrivalMs <= Math.max(most, markedMs)
            // Late samples are no arrivals where nobody watches silence.
            assert.ok(
              isWithin || !isSilenceWatched,
              `step ${step}: ${least} ≤ ${arrivalMs} ≤ ${most}`,
            )
            models[place].recover(arrivalMs)
          }
        }
      }
      await home.settle()
      for (const { models } of pairs) for (const model of models) model.advance(now)
      await check(step)
    }
  })
}
