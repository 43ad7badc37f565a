/** Random texts and payloads through whole runs: each ends as it should, and says where it went wrong. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Refusal } from '../../src/base/index.ts'
import { fc } from '../support/fast-check.ts'
import { type GqlHome, openGql } from '../support/gql-home.ts'
import { roundsBy, testSeeds } from '../support/random.ts'
import { randomHeaps, randomPrograms, randomQueries } from '../support/random-sql.ts'

const documented = readFileSync('docs/gs-sql.md', 'utf8')
  .split('```sql\n')
  .slice(1)
  .map((part) => part.split('```')[0])
const written = globSync('test/fixtures/payloads/*/connector.sql').map((file) =>
  readFileSync(file, 'utf8'),
)
const bodies = globSync('test/fixtures/payloads/*/body.*').map((file) => readFileSync(file, 'utf8'))
const texts = [...documented, ...written]

/** Words, numbers, texts and marks of a text, with what stands between them. */
const piecesOf = (text: string): string[] => text.match(/'[^']*'|\w+|\s+|[^\w\s]/g) ?? []
const words = [...new Set(texts.flatMap(piecesOf))].filter((piece) => piece.trim() !== '')

/** Texts that were once right, with some pieces dropped, doubled, exchanged or put in. */
const mutated = fc
  .tuple(
    fc.constantFrom(...texts),
    fc.array(
      fc.record({
        at: fc.nat(),
        kind: fc.constantFrom('drop', 'double', 'replace', 'insert', 'cut'),
        word: fc.constantFrom(...words),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  )
  .map(([text, changes]) => {
    const pieces = piecesOf(text)
    for (const { at, kind, word } of changes) {
      const place = at % Math.max(1, pieces.length)
      if (kind === 'drop') pieces.splice(place, 1)
      else if (kind === 'double') pieces.splice(place, 0, pieces[place] ?? '')
      else if (kind === 'replace') pieces[place] = word
      else if (kind === 'insert') pieces.splice(place, 0, ' ', word, ' ')
      else pieces.length = place
    }
    return pieces.join('')
  })

/** Bodies of real payloads, cut and with bytes of other kinds in them. */
const payloads = fc
  .tuple(
    fc.constantFrom(...bodies, ''),
    fc.nat(),
    fc.constantFrom('', '"', '{', '[', '\n', '\u0000', '|', '💥'),
  )
  .map(([body, at, piece]) => {
    const place = at % (body.length + 1)
    return body.slice(0, place) + piece + (at % 2 === 0 ? body.slice(place) : '')
  })

function assertReported(error: unknown, about: string): void {
  assert.ok(error instanceof Refusal, `${about}\n${String((error as Error)?.stack)}`)
  const { code, message, place } = error
  const codes = ['sql_error', 'bad_input', 'template_not_found', 'too_many_samples']
  assert.ok(codes.includes(code), `${about}\n${code}`)
  assert.ok(place !== undefined && place.line >= 1 && place.column >= 1, `${about}\n${message}`)
  assert.match(place.pointer, /\n[ \t]*\^+$/, about)
  assert.doesNotMatch(message, /SQLITE|no such|near "|syntax error|undefined|\[object/, about)
  if (code === 'sql_error') assert.ok(message.startsWith(`Line ${place.line}, column `), about)
}

async function runOne(home: GqlHome, sql: string, given: { body: string; isDry: boolean }) {
  const { body, isDry } = given
  const variables = { '@HTTP_BODY': body, '@HTTP_QUERY_STRING': body, '@HTTP_METHOD': 'POST' }
  try {
    await home.run(sql, { variables, isDry })
    return true
  } catch (error) {
    assertReported(error, `${sql}\n--- ${JSON.stringify(body)}`)
    return false
  }
}

test('random texts and payloads run or are refused with a place, and runs go on', async (t) => {
  const home = await openGql(t, { settings: { seconds: 1, memoryMb: 128 } })
  const [seed] = testSeeds(1)
  let ran = 0
  let failed = 0
  const sql = fc.oneof(
    { weight: 6, arbitrary: mutated },
    { weight: 2, arbitrary: fc.constantFrom(...written) },
    randomPrograms,
    randomQueries,
    randomHeaps,
  )
  const property = fc.asyncProperty(sql, payloads, fc.boolean(), async (text, body, isDry) => {
    if (await runOne(home, text, { body, isDry })) ran += 1
    else failed += 1
  })
  await fc.assert(property, {
    seed,
    numRuns: roundsBy({ everyRun: 120, nightly: 300 }),
    endOnFailure: true,
  })
  assert.ok(ran > 10 && failed > 10, `seed ${seed}: ${ran} ran, ${failed} failed`)
  const { crash, wait } = home.runners.figures.ended
  assert.deepEqual([crash, wait], [0, 0], `seed ${seed}`)
  assert.equal(home.budget.figures.usedBytes, 0, `seed ${seed}`)
})
