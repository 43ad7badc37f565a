import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as iteration } from 'node:timers/promises'
import { type Clock, type EpochMs, epochMs } from '../../src/base/index.ts'
import { type LiveCall, LiveHub } from '../../src/feed/live/index.ts'
import { anyFeed, type FeedHome, openFeed } from '../support/feed-home.ts'
import { roundsBy } from '../support/random.ts'

/** In nightly runs as many as all listeners together may follow: 200,000. */
const LISTENERS = roundsBy({ everyRun: 50, nightly: 200 })
const STREAMS = roundsBy({ everyRun: 400, nightly: 1_000 })
/** Looks at the clock of whatever is done besides for a listener that goes. */
const BESIDES = 20

/** A clock on which every look takes so long that each piece of work is a slice of its own. */
class CountingClock implements Clock {
  looks = 0

  now(): EpochMs {
    return epochMs(0)
  }

  elapsed(): number {
    this.looks += 1
    return this.looks * 10
  }
}

function openHub(t: TestContext, home: FeedHome, clock: Clock): LiveHub {
  const hub = new LiveHub({
    catalog: home.catalog,
    store: home.store,
    clock,
    figures: { total: 1_000, organization: 1_000, user: 1_000, address: 1_000, perSecond: 0.001 },
    countChanges: () => 0,
    showFile: () => '',
    frame: (event, data) => `${event} ${data}\n`,
    frameCursor: (cursor) => `cursor ${cursor}\n`,
    onFailure: (error) => assert.fail(String(error)),
  })
  t.after(() => hub.close())
  return hub
}

function listen(hub: LiveHub): Promise<() => void> {
  const call: LiveCall = {
    principal: anyFeed,
    selection: [{ component: { id: 'c' }, streams: [] }],
    form: { isLast: true, isFormatted: false },
    wantsCatalog: false,
    since: undefined,
    credentialName: 'k',
    network: 'n',
    // Takes what it is sent and asks for no more.
    sink: { isFree: true, unsentBytes: 0, begin: () => {}, send: () => {}, end: () => {} },
    renew: async () => anyFeed,
    onSent: () => {},
  }
  return hub.open(call)
}

test('LiveHub takes listeners that go at once off their streams with turns for others in between', async (t) => {
  const streams = Array.from({ length: STREAMS }, (_, at) => [`s${at}`, {}] as const)
  const home = await openFeed(t, Object.fromEntries(streams))
  const clock = new CountingClock()
  const hub = openHub(t, home, clock)
  const stops = await Promise.all(Array.from({ length: LISTENERS }, () => listen(hub)))
  for (let quiet = 0, looks = 0; quiet < 5; quiet = looks === clock.looks ? quiet + 1 : 0) {
    looks = clock.looks
    await iteration()
  }
  const begun = clock.looks
  for (const stop of stops) stop()
  assert.ok(clock.looks - begun <= STREAMS + BESIDES, 'going itself does not wait for it')
  // Those who come back at once find the room that the others have left.
  const back = Promise.all(Array.from({ length: LISTENERS }, () => listen(hub)))
  let iterations = 0
  while (clock.looks - begun < LISTENERS * STREAMS && iterations < LISTENERS * 3) {
    const looks = clock.looks
    await iteration()
    iterations += 1
    assert.ok(clock.looks - looks <= STREAMS + BESIDES, 'one listener at most between two turns')
  }
  assert.ok(iterations >= LISTENERS - 1, `${iterations} turns for others`)
  assert.equal((await back).length, LISTENERS)
  assert.match(hub.metrics(), new RegExp(`^weir_live_streams ${STREAMS}$`, 'm'))
})
