import assert from 'node:assert/strict'
import { ManualClock } from '../../src/base/index.ts'
import { type Answer, type Call, caller, signIn } from './caller.ts'
import { FeedClient } from './feed-client.ts'
import { type Service, type ServiceOptions, startService } from './service.ts'

/** When the clock of an alert home begins. */
export const BEGIN = Date.UTC(2026, 0, 15, 12)
export const MINUTE = 60_000
export const HOUR = 3_600_000

/** A service for alerts, whose clock moves only when a test moves it. */
export interface AlertHome {
  readonly service: Service
  readonly clock: ManualClock
  readonly owner: Call
  readonly client: FeedClient
  readonly ownerUid: string
  /** Signs in once more, after a restart. */
  signIn(): Promise<void>
  /** Makes a component with streams of doubles; returns its UIDs. */
  component(id: string, streams?: readonly string[], more?: object): Promise<MadeComponent>
  /** Saves an alert, which runs as the owner. */
  alert(record: object): Promise<{ readonly uid: string }>
  /** Puts one value; its time is that of the clock unless given. */
  put(compId: string, streamId: string, value: number | string, time?: number): Promise<void>
  /** Lets time pass, and all timers that are due run. */
  advance(ms: number): Promise<void>
  /** Waits until all that was put is evaluated. */
  settle(): Promise<void>
  /** The states that the events of an alert led to, the oldest first. */
  states(alertUid: string): Promise<string[]>
  close(): Promise<void>
}

interface MadeComponent {
  readonly uid: string
  readonly streams: Readonly<Record<string, string>>
}

/** Opens a service with an owner who is signed in. */
export async function openAlertHome(options: ServiceOptions = {}): Promise<AlertHome> {
  const clock = new ManualClock(BEGIN)
  const service = await startService({ clock, ...options })
  const enter = async () =>
    caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  let owner = await enter()
  const me = (await owner('GET', '/api/alert/new')).body.alert.runningUser.uid
  const client = new FeedClient(service)
  const call: Call = (method, path, body) => owner(method, path, body)
  const settle = () => service.app.alertWorker.settle()
  return {
    service,
    clock,
    owner: call,
    client,
    ownerUid: me,
    signIn: async () => {
      owner = await enter()
    },
    component: async (id, streams = ['temp'], more = {}) => {
      const stream = streams.map((one) => ({ id: one, valueType: 'DOUBLE' }))
      const made = await call('PUT', '/api/component', { component: { id, stream, ...more } })
      ok(made)
      const shown = made.body.component
      const uids = shown.stream.map((one: { id: string; uid: string }) => [one.id, one.uid])
      return { uid: shown.uid, streams: Object.fromEntries(uids) }
    },
    alert: async (record) => {
      const alert = { name: 'Alert', runningUser: { uid: me }, ...record }
      const made = await call('PUT', '/api/alert', { alert })
      ok(made)
      return made.body.alert
    },
    put: async (compId, streamId, value, time = clock.now()) => {
      const query = new URLSearchParams({ compId, [streamId]: String(value), time: String(time) })
      const answer = await client.put(query.toString())
      assert.equal(answer.status, 200, answer.text)
    },
    advance: async (ms) => {
      clock.advance(ms)
      await settle()
    },
    settle,
    states: async (alertUid) => {
      const events = await call('GET', `/api/alert/${alertUid}/event`)
      ok(events)
      const shown = events.body.event.toReversed()
      return shown.map(({ state, cause }: { state: string; cause: string }) => `${state} ${cause}`)
    },
    close: () => service.close(),
  }
}

function ok({ status, text }: Answer): void {
  assert.equal(status, 200, text)
}
