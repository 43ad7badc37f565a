import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { nextIteration } from '../../../base/index.ts'
import { SharedFrames } from './shared-frames.ts'

/** Frames that are sent when a test has answered them. */
class Sent {
  readonly frames: { readonly names: string[]; readonly answer: PromiseWithResolvers<void> }[] = []
  readonly shared = new SharedFrames((statements) => {
    const answer = Promise.withResolvers<void>()
    this.frames.push({ names: statements.map(({ cql }) => cql), answer })
    return answer.promise
  })

  write(name: string, bytes = 20): Promise<void> {
    return this.shared.write({ cql: name, params: [] }, bytes)
  }

  get names(): string[][] {
    return this.frames.map(({ names }) => names)
  }
}

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `row ${at}`)

test('SharedFrames sends rows that arrive together in one frame', async () => {
  const sent = new Sent()
  const rows = [sent.write('a'), sent.write('b')]
  await nextIteration()
  assert.deepEqual(sent.names, [['a', 'b']])
  sent.frames[0].answer.resolve()
  await Promise.all(rows)
})

test('SharedFrames lets rows wait for the frame before them, which resolves only its own', async () => {
  const sent = new Sent()
  const first = sent.write('a')
  await nextIteration()
  const later = [sent.write('b'), sent.write('c')]
  await nextIteration()
  assert.deepEqual(sent.names, [['a']])
  sent.frames[0].answer.resolve()
  await first
  await nextIteration()
  assert.deepEqual(sent.names, [['a'], ['b', 'c']])
  sent.frames[1].answer.reject(new Error('too few nodes'))
  for (const one of later) await assert.rejects(one, /too few nodes/)
  const next = sent.write('d')
  await nextIteration()
  sent.frames[2].answer.resolve()
  await next
})

test('SharedFrames sends rows behind a frame whose node hangs', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const sent = new Sent()
    void sent.write('a')
    await nextIteration()
    const second = sent.write('b')
    mock.timers.tick(1_000)
    assert.deepEqual(sent.names, [['a'], ['b']])
    sent.frames[1].answer.resolve()
    await second
  } finally {
    mock.timers.reset()
  }
})

test('SharedFrames sends a frame that is full at once, and keeps every row in its order', async () => {
  const sent = new Sent()
  for (const name of numbered(25)) void sent.write(name)
  assert.deepEqual(
    sent.names.map(({ length }) => length),
    [10, 10],
  )
  await nextIteration()
  for (const { answer } of sent.frames) answer.resolve()
  await nextIteration()
  assert.deepEqual(sent.names.flat(), numbered(25))
  const long = new Sent()
  for (const name of numbered(4)) void long.write(name, 1_500)
  assert.deepEqual(long.names, [['row 0', 'row 1']])
})
