import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/base/index.ts'
import { type LiveCall, LiveHub } from '../../src/feed/live/index.ts'
import type { SampleStore } from '../../src/store/index.ts'
import { anyFeed, type FeedHome, NOW, openFeed } from '../support/feed-home.ts'
import { eventually } from '../support/settle.ts'

const SAMPLES = 60

/** The store of a home in which a sample is stored before each answer to the sender. */
function landingStore(home: FeedHome): SampleStore & { landed: number; isLanding: boolean } {
  const state = { landed: 0, isLanding: false }
  const land = async () => {
    if (!state.isLanding || state.landed === SAMPLES) return
    state.landed += 1
    await home.put(`compId=c&time=${NOW + state.landed}&s=${state.landed}`)
  }
  return new Proxy(home.store, {
    get(store, name) {
      if (name in state) return Reflect.get(state, name)
      const member = Reflect.get(store, name)
      if (typeof member !== 'function') return member
      if (name !== 'latest' && name !== 'range') return member.bind(store)
      return async (...args: unknown[]) => {
        await land()
        return member.apply(store, args)
      }
    },
    set: (_store, name, value) => Reflect.set(state, name, value),
  }) as unknown as SampleStore & { landed: number; isLanding: boolean }
}

for (const isLast of [false, true]) {
  test(`LiveHub sends samples that are stored while it reads, in order and once (last: ${isLast})`, async (t) => {
    const home = await openFeed(t, { s: {} })
    await home.put(`compId=c&time=${NOW}&s=0`)
    const store = landingStore(home)
    const hub = new LiveHub({
      catalog: home.catalog,
      store,
      clock: systemClock,
      figures: { total: 9, organization: 9, user: 9, address: 9, perSecond: 1_000 },
      countChanges: () => 0,
      showFile: () => '',
      frame: (event, data) => `${event} ${data}\n`,
      frameCursor: () => '',
      onFailure: (error) => assert.fail(String(error)),
    })
    t.after(() => hub.close())
    const sent: number[] = []
    const send = (text: string, onLeft: () => void) => {
      for (const line of text.trim().split('\n')) {
        assert.match(line, /^sample /)
        sent.push(JSON.parse(line.slice('sample '.length)).time - NOW)
      }
      store.isLanding = true
      onLeft()
    }
    const call: LiveCall = {
      principal: anyFeed,
      selection: [{ component: { id: 'c' }, streams: [] }],
      form: { isLast, isFormatted: false },
      wantsCatalog: false,
      since: undefined,
      credentialName: 'k',
      network: 'n',
      sink: { isFree: true, unsentBytes: 0, begin: () => {}, send, end: () => {} },
      renew: async () => anyFeed,
      onSent: () => {},
    }
    await hub.open(call)
    await eventually(() => {
      assert.equal(sent.at(-1), 0)
    })
    await home.put(`compId=c&time=${NOW + 1}&s=1`)
    store.landed = 1
    await eventually(() => {
      assert.equal(sent.at(-1), SAMPLES)
    })
    const inOrder = sent.toSorted((one, other) => one - other)
    assert.deepEqual(sent, [...new Set(inOrder)])
    if (!isLast) assert.equal(sent.length, SAMPLES + 1)
  })
}
