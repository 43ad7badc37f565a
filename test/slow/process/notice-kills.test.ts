import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { childEnv } from '../../support/child-env.ts'
import { fastClock } from '../../support/fast-clock.ts'
import { openNoticeHome, owner } from '../../support/notice-home.ts'
import { isNightly, Random, testSeeds } from '../../support/random.ts'
import { settlesTo } from '../../support/settle.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { type Received, startReceiver } from '../../support/webhook-receiver.ts'

const CHILD = fileURLToPath(new URL('../../support/notice-child.ts', import.meta.url))
const ROUNDS = isNightly ? 60 : 8

/** Keys of the notices that a request stands for. */
function keysOf({ headers, body }: Received): string[] {
  const { keys } = JSON.parse(body) as { keys?: string[] }
  return keys ?? [String(headers['idempotency-key'])]
}

test('kill -9 at any moment loses no notice, and repeats one with its key only', async (t) => {
  const [seed] = testSeeds(1)
  t.diagnostic(`seed ${seed}`)
  const random = new Random(seed)
  const folder = temporaryFolder()
  const fromMs = Date.now()
  const clock = fastClock(fromMs)
  const receiver = await startReceiver()
  receiver.behave = () => random.pick([200, 200, 200, 500, 'disconnect'] as const)
  const first = await openNoticeHome({ folder, clock })
  const fields = { name: 'ops', url: receiver.url, perMinute: 60 }
  const { uid } = await first.channels.insert(owner, fields)
  await first.close()
  const durable: string[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const requests = receiver.received.length + random.integer(1, 20)
    const args = [CHILD, folder, uid, String(fromMs), String(round * 1_000_000)]
    const child = spawn(process.execPath, args, {
      env: childEnv,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const gone = once(child, 'exit')
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      durable.push(...text.split('\n').filter((key) => key.length === 36))
    })
    await receiver.atLeast(requests)
    child.kill('SIGKILL')
    await gone
  }
  receiver.behave = () => 200
  const last = await openNoticeHome({ folder, clock })
  await settlesTo(() => last.countWaiting(), 0)
  await last.close()
  await receiver.close()
  const received = new Set(receiver.received.flatMap(keysOf))
  assert.ok(durable.length > ROUNDS, `${durable.length} notices`)
  assert.deepEqual(
    durable.filter((key) => !received.has(key)),
    [],
  )
  t.diagnostic(`${durable.length} notices in ${receiver.received.length} requests`)
  expectSameKeys(receiver.received)
})

/** The same change never comes with two keys of its own, and single notices of a stream begin in order. */
function expectSameKeys(received: readonly Received[]): void {
  const keyOf = new Map<string, string>()
  const newest = new Map<string, number>()
  for (const { headers, body } of received) {
    const { event, kind, message, streamUid } = JSON.parse(body)
    if (kind === 'summary') continue
    const key = String(headers['idempotency-key'])
    assert.equal(keyOf.get(event) ?? key, key)
    if (!keyOf.has(event)) {
      assert.ok((newest.get(streamUid) ?? -1) < Number(message), `${streamUid} out of order`)
      newest.set(streamUid, Number(message))
    }
    keyOf.set(event, key)
  }
}
