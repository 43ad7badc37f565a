/** Line protocol beside its reference decoder in Go; `WEIR_RECORD=1` rewrites the corpus of `npm test`. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  emptySeriesCache,
  pointsOfReader,
  pointsOfReference,
  type ReferenceLine,
  randomBody,
} from '../support/line-protocol.ts'
import { Random } from '../support/random.ts'
import { run, whyMissing } from './run-program.ts'

const HOME = join(homedir(), '.cache/weir-programs/line-protocol')
const BODIES = 5_000
const RECORDED = 300
const CORPUS = 'test/fixtures/line-protocol.txt'

async function build(): Promise<string> {
  mkdirSync(HOME, { recursive: true })
  const required = 'require github.com/influxdata/line-protocol/v2 v2.2.1'
  writeFileSync(join(HOME, 'go.mod'), `module example.test/lines\n\ngo 1.24\n\n${required}\n`)
  copyFileSync('test/programs/line-protocol.go.txt', join(HOME, 'main.go'))
  await run(['go', 'mod', 'tidy'], { cwd: HOME })
  await run(['go', 'build', '-o', 'lines', '.'], { cwd: HOME })
  return join(HOME, 'lines')
}

const skip = await whyMissing(['go', 'version'])
test('LineReader accepts what the reference decoder accepts, with the same values', {
  skip,
}, async () => {
  const seed = Number(process.env.WEIR_TEST_SEED ?? Date.now() % 2 ** 31)
  const random = new Random(seed)
  const bodies = Array.from({ length: BODIES }, () => randomBody(random))
  const input = bodies.map((body) => `${body.toString('base64')}\n`).join('')
  const options = { input, encoding: 'utf8', maxBuffer: 2 ** 30 } as const
  const { status, stdout, stderr } = spawnSync(await build(), [], options)
  assert.equal(status, 0, stderr)
  const answers = stdout.trimEnd().split('\n')
  const shared = emptySeriesCache()
  let accepted = 0
  for (const [at, body] of bodies.entries()) {
    const expected = pointsOfReference(JSON.parse(answers[at]) as ReferenceLine[])
    accepted += expected.length
    const context = `seed ${seed}, body ${JSON.stringify(body.toString('latin1'))}`
    assert.deepEqual(pointsOfReader(body), expected, context)
    for (let times = 0; times < 2; times++) {
      assert.deepEqual(pointsOfReader(body, shared), expected, context)
    }
  }
  assert.ok(accepted > BODIES, `only ${accepted} points were accepted, seed ${seed}`)
  if (process.env.WEIR_RECORD !== '1') return
  const recorded = bodies.slice(0, RECORDED).map((body, at) => ({
    body: body.toString('base64'),
    lines: JSON.parse(answers[at]),
  }))
  writeFileSync(CORPUS, recorded.map((one) => `${JSON.stringify(one)}\n`).join(''))
})
