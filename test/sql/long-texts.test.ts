/** Functions of long texts are left to SQLite: they give what ours give. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { checkExpression, compileExpression } from '../../src/expression/index.ts'
import { compileGsSql } from '../../src/sql/index.ts'
import { fc } from '../support/fast-check.ts'
import { roundsOf, testSeeds } from '../support/random.ts'
import { runGsSql } from '../support/run-gs-sql.ts'

const [seed] = testSeeds(1)
before((context) => {
  if ('diagnostic' in context) context.diagnostic(`WEIR_TEST_SEED=${seed} runs these again`)
})

const words = fc.constantFrom('a', 'é', '😀', '<i>', '</i>', ' ', '0', 'xyz')
const rare = fc.constantFrom('', '', '', '\0')
const texts = fc
  .tuple(fc.array(words, { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 300 }), rare)
  .map(([parts, times, odd]) => `${parts.join('').repeat(times)}${odd}${parts[0]}end`)
const marks = fc.constantFrom("'<i>'", "'</i>'", "'end'", "'é'", "'nothing'", "'😀'", "''")
const places = fc.oneof(
  fc.integer({ min: -30, max: 30 }).map(String),
  fc.constantFrom('4000', '-4000', '9223372036854775807', '-9223372036854775808', 'NULL', '2.7'),
)
const calls = fc.oneof(
  fc.constant('len(x)'),
  places.map((at) => `substr(x, ${at})`),
  fc.tuple(fc.constantFrom('substr', 'mid'), places, places).map(([name, at, count]) => {
    return `${name}(x, ${at}, ${count})`
  }),
  places.map((count) => `left(x, ${count})`),
  fc
    .tuple(fc.constantFrom('indexOf', 'contains'), marks)
    .map(([name, mark]) => `${name}(x, ${mark})`),
  fc.tuple(marks, marks).map(([from, until]) => `textBetween(x, ${from}, ${until})`),
)

test('functions of long and short texts in columns and variables give what closures give', () => {
  const property = fc.property(
    texts,
    fc.array(calls, { minLength: 1, maxLength: 5 }),
    (x, list) => {
      const expected = list.map((call) =>
        compileExpression(
          checkExpression(call, { variables: [{ name: 'x', type: 'STRING' }] }),
        ).evaluate([x]),
      )
      const given = { variables: { '@HTTP_BODY': x } }
      const ofColumn = `SELECT ${list.join(', ')} FROM (SELECT @HTTP_BODY AS x) t`
      assert.deepEqual(runGsSql(ofColumn, given)[0].rows[0], expected, ofColumn)
      const ofVariable = `SELECT ${list.join(', ').replaceAll('(x', '(@HTTP_BODY')}`
      assert.deepEqual(runGsSql(ofVariable, given)[0].rows[0], expected, ofVariable)
    },
  )
  fc.assert(property, { seed, numRuns: roundsOf(300) })
})

test('functions of a text in a variable are not handed it, and its number is known', () => {
  const { query } = compileGsSql("SELECT parseCsv(@HTTP_BODY, 2, '/'), len(@HTTP_BODY)")
    .statements[0]
  assert.deepEqual(query.variables, [0])
  assert.doesNotMatch(query.sql, /:v0/)
  const sql =
    "SET @HTTP_BODY = 'a/b'; SET @n = 2; SELECT parseCsv(@HTTP_BODY, @n, '/'), upper(@HTTP_BODY)"
  assert.deepEqual(runGsSql(sql).at(-1)?.rows, [['b', 'A/B']])
})
