import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Sealer } from './sealer.ts'
import type { SealerEvents } from './sealer-link.ts'
import type { SealerReply } from './sealer-protocol.ts'

const MB = 1024 * 1024

/** A sealer over a link that notes what it is asked for, and replies when told. */
function startSealer(togetherMax: number) {
  const asked: Array<readonly number[]> = []
  const sealed: number[] = []
  let events: SealerEvents | undefined
  const sealer = new Sealer({
    togetherMax,
    roomRetryMs: 1,
    start(given) {
      events = given
      return {
        send(command) {
          if (command.op === 'seal') asked.push(command.segments)
        },
        async close() {},
      }
    },
    onSealed: (segments) => sealed.push(...segments),
    onStuck: () => {},
    onUnsealable: () => {},
    onBug: (error) => assert.fail(String(error)),
  })
  const reply = (message: SealerReply): void => events?.onReply(message)
  const report = (...segments: number[]): void => reply({ op: 'sealed', segments, damages: [] })
  const close = (segment: number, bytes = 25 * MB): void =>
    sealer.enqueue({ segment, bytes }, { mayWait: false })
  return { sealer, asked, sealed, reply, report, close }
}

test('segments that wait are sealed together, as many as may be and as the thread could', () => {
  const { sealer, asked, sealed, report, close } = startSealer(3)
  close(1)
  assert.deepEqual(asked.splice(0), [[1]])
  for (const segment of [2, 3, 4, 5]) close(segment)
  assert.deepEqual(asked, [])
  report(1)
  assert.deepEqual(asked.splice(0), [[2, 3, 4]])
  assert.equal(sealer.backlog, 4)
  report(2)
  assert.deepEqual(asked.splice(0), [[3, 4, 5]])
  report(3, 4, 5)
  assert.deepEqual(asked, [])
  assert.equal(sealer.backlog, 0)
  assert.deepEqual(sealed, [1, 2, 3, 4, 5])
})

test('those that a start found, or that may wait, go together from the first on', () => {
  const { sealer, asked, report, close } = startSealer(3)
  const found = [1, 2].map((segment) => ({ segment, bytes: MB }))
  sealer.sealFirst(found, { isHeld: true })
  sealer.enqueue({ segment: 3, bytes: MB }, { mayWait: true })
  assert.deepEqual(asked, [])
  close(4)
  assert.deepEqual(asked.splice(0), [[1, 2, 3]])
  report(1, 2, 3)
  assert.deepEqual(asked.splice(0), [[4]])
})

test('where a pass failed the first of its segments is tried alone', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { asked, reply, report, close } = startSealer(2)
  for (const segment of [1, 2, 3, 4]) close(segment)
  report(1)
  assert.deepEqual(asked.splice(0), [[1], [2, 3]])
  reply({ op: 'failed', what: 'full', passing: 'the disk is full', damages: [] })
  context.mock.timers.tick(1)
  assert.deepEqual(asked.splice(0), [[2]])
  report(2)
  assert.deepEqual(asked.splice(0), [[3, 4]])
  reply({ op: 'failed', what: 'wrong', passing: undefined, damages: [] })
  context.mock.timers.tick(1)
  close(5)
  assert.deepEqual(asked, [])
})

test('isBehind() is true when too many segments wait, or a few very large ones', () => {
  const f = (segments: number, bytes: number, backlogMax: number, want: boolean) => {
    const { sealer, close } = startSealer(1)
    for (let segment = 1; segment <= segments; segment += 1) close(segment, bytes)
    assert.equal(sealer.isBehind(backlogMax), want, `${segments} of ${bytes} B, ${backlogMax}`)
  }
  f(0, 0, 0, false)
  f(1, 1, 0, true)
  f(3, 1_000 * MB, 3, false)
  f(4, MB, 3, true)
  f(3, 1_000 * MB, 15, false)
  f(4, 200 * MB, 15, false)
  f(6, 200 * MB, 15, true)
  f(15, 45 * MB, 15, false)
  f(16, MB, 15, true)
})
