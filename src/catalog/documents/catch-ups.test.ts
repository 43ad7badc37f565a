import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock, refuse } from '../../base/index.ts'
import { CatchUps } from './catch-ups.ts'

function openCatchUps(isShared = true) {
  const clock = new ManualClock(1_700_000_000_000)
  const runs: PromiseWithResolvers<number>[] = []
  const run = () => {
    const one = Promise.withResolvers<number>()
    runs.push(one)
    return one.promise
  }
  return { clock, runs, catchUps: new CatchUps({ clock, isShared, run }) }
}

test('however many ask, one catch-up runs and one waits for it, which sees what was committed before they asked', async () => {
  const { catchUps, runs } = openCatchUps()
  const first = catchUps.refresh()
  const later = Array.from({ length: 100 }, () => catchUps.refresh())
  assert.equal(runs.length, 1)
  runs[0].resolve(0)
  await first
  await new Promise(setImmediate)
  assert.equal(runs.length, 2)
  runs[1].resolve(0)
  await Promise.all(later)
  assert.equal(runs.length, 2)
})

test('a catch-up that fails rejects for its caller, and the next one runs all the same', async () => {
  const { catchUps, runs } = openCatchUps()
  const first = catchUps.refresh()
  const later = catchUps.refresh()
  runs[0].reject(new Error('away'))
  await assert.rejects(first, /away/)
  runs[1].resolve(0)
  await later
})

test('a flood of calls that find nothing shares a few catch-ups', async () => {
  const { catchUps, runs } = openCatchUps()
  const flood = Array.from({ length: 1_000 }, () => catchUps.whenMissing())
  await new Promise(setImmediate)
  for (const run of runs) run.resolve(0)
  await new Promise(setImmediate)
  for (const run of runs) run.resolve(0)
  await Promise.all(flood)
  assert.ok(runs.length <= 2, `${runs.length} catch-ups`)
})

test('memory that was current a moment ago is fresh, and later only after a catch-up', async () => {
  const { clock, catchUps, runs } = openCatchUps()
  assert.equal(catchUps.ensureFresh(), undefined)
  clock.advance(501)
  const fresh = catchUps.ensureFresh()
  clock.advance(400)
  runs[0].resolve(0)
  await fresh
  // It notes the moment at which it began.
  clock.advance(100)
  assert.equal(catchUps.ensureFresh(), undefined)
  clock.advance(1)
  assert.notEqual(catchUps.ensureFresh(), undefined)
  // A clock that stood still while the machine slept does not keep memory fresh.
  runs[1].resolve(0)
  await new Promise(setImmediate)
  assert.equal(catchUps.ensureFresh(), undefined)
  clock.jump(10_000)
  assert.notEqual(catchUps.ensureFresh(), undefined)
})

test('where no other process shares the store nothing is asked and nothing is waited for', async () => {
  const { clock, catchUps, runs } = openCatchUps(false)
  clock.advance(100_000)
  assert.equal(catchUps.ensureFresh(), undefined)
  await catchUps.whenMissing()
  await catchUps.heard()
  assert.equal(runs.length, 0)
})

test('who is refused for want of something looks once more where another process has made anything', async () => {
  const { catchUps, runs } = openCatchUps()
  let looks = 0
  const look = () => {
    looks += 1
    return looks === 1 ? refuse('not_found', { what: 'not there' }) : 'found'
  }
  const finding = catchUps.lookAgain(look)
  await new Promise(setImmediate)
  runs[0].resolve(1)
  assert.equal(await finding, 'found')
  const missing = catchUps.lookAgain(() => refuse('not_found', { what: 'never there' }))
  const other = catchUps.lookAgain(() => refuse('bad_input', { what: 'wrong' }))
  await assert.rejects(other, /wrong/)
  while (runs.length < 2) await new Promise(setImmediate)
  runs[1].resolve(0)
  await assert.rejects(missing, /never there/)
})
