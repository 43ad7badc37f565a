/** kill -9 of the process that evaluates alerts: the other one evaluates and notifies, without a gap and without a repetition. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { type ChildService, startChildService } from '../../support/child-service.ts'
import { eventually, settlesTo } from '../../support/settle.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import {
  clusterServiceSettings,
  clusterSkip,
  dropTestCluster,
  testClusterPlace,
} from '../../support/test-cluster.ts'
import { type Received, startReceiver } from '../../support/webhook-receiver.ts'

const ACCOUNT = { email: 'owner@localhost', password: 'correct horse battery' }
const KEY = '0f0e0d0c-1111-4222-8333-444455558888'
/** Twice what is promised: other tests may have the processor. */
const TAKEOVER_MS_MAX = 30_000

async function made(call: Call, kind: string, record: object) {
  const answer = await call('PUT', `/api/${kind}`, { [kind]: record })
  assert.equal(answer.status, 200, answer.text)
  return answer.body[kind]
}

/** How many changes of states a process has made. */
async function changesOf({ url }: ChildService): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^weir_alert_changes_total (\d+)$/m.exec(text)?.[1])
}

const stateOf = ({ body }: Received): string => JSON.parse(body).state

test('another process evaluates alerts after kill -9, and the first one after another', {
  skip: clusterSkip(),
}, async (t) => {
  const home = temporaryFolder()
  const keyFile = join(home, 'shared.key')
  writeFileSync(keyFile, `${'ab'.repeat(32)}\n`)
  const place = await testClusterPlace('alerttakeover')
  t.after(() => dropTestCluster(place))
  const receiver = await startReceiver()
  t.after(() => receiver.close())
  const settings = {
    ...clusterServiceSettings(place),
    WEIR_KEY_FILE: keyFile,
    WEIR_FEED_KEY: KEY,
    WEIR_OWNER_PASSWORD: ACCOUNT.password,
    WEIR_OUTBOUND_ALLOW: '127.0.0.0/8',
  }
  const start = async (name: string): Promise<ChildService> => {
    const service = await startChildService(join(home, name), settings)
    t.after(() => service.kill())
    return service
  }
  let services = [await start('one'), await start('other')]
  const session = await signIn(services[0], ACCOUNT.email, ACCOUNT.password)
  const owner = caller(services[0], session)
  await made(owner, 'component', { id: 'c', stream: [{ id: 'temp', valueType: 'DOUBLE' }] })
  const channel = await made(owner, 'channel', { name: 'Ops', url: receiver.url })
  const { runningUser } = (await owner('GET', '/api/alert/new')).body.alert
  const { uid } = await made(owner, 'alert', {
    name: 'Hot',
    streams: [{ componentId: 'c', streamId: 'temp' }],
    condition: 'value > 30',
    channels: [{ uid: channel.uid }],
    runningUser,
  })
  const put = async ({ url }: ChildService, value: number) => {
    const query = `compId=c&temp=${value}&api_key=${KEY}`
    const answer = await fetch(`${url}/api/feed?${query}`, { method: 'PUT' })
    assert.equal(answer.status, 200, await answer.text())
  }
  const wanted = ['FIRING']
  // The process that evaluates learns of the alert a moment later: what was put before counts as known.
  await eventually(async () => {
    await put(services[0], 31)
    assert.deepEqual(receiver.received.map(stateOf), wanted)
  })
  for (const round of [0, 1]) {
    const evaluator = await eventually(async () => {
      const counts = await Promise.all(services.map(changesOf))
      const at = counts.findIndex((count) => count > 0)
      assert.ok(at >= 0, counts.join())
      return services[at]
    })
    const [living] = services.filter((service) => service !== evaluator)
    await evaluator.kill()
    const killedMs = performance.now()
    for (const value of [20, 31]) {
      await put(living, value)
      wanted.push(value > 30 ? 'FIRING' : 'OK')
    }
    await settlesTo(() => receiver.received.map(stateOf), wanted)
    const tookMs = Math.round(performance.now() - killedMs)
    t.diagnostic(`notified ${tookMs} ms after the kill`)
    assert.ok(tookMs < TAKEOVER_MS_MAX, `${tookMs} ms`)
    services = [living, await start(`again${round}`)]
  }
  const events = (await caller(services[0], session)('GET', `/api/alert/${uid}/event`)).body.event
  const states = events.toReversed().map(({ state }: { state: string }) => state)
  assert.deepEqual(states, wanted)
  const keys = receiver.received.map(({ headers }) => headers['idempotency-key'])
  assert.equal(new Set(keys).size, wanted.length)
})
