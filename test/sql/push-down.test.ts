/** What queries ask of stored tables: only what they need, and never so that an answer changes. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ExpressionError } from '../../src/expression/index.ts'
import { type CompiledRead, compileGsSql, type StoredTables } from '../../src/sql/index.ts'
import { fc } from '../support/fast-check.ts'
import { roundsOf, testSeeds } from '../support/random.ts'
import { runGsSql, type StoredRow } from '../support/run-gs-sql.ts'

const [seed] = testSeeds(1)
before((context) => {
  if ('diagnostic' in context) context.diagnostic(`WEIR_TEST_SEED=${seed} runs these again`)
})

const stored: StoredTables = {
  SAMPLE: [
    { name: 'CID', type: 'STRING' },
    { name: 'ID', type: 'STRING' },
    { name: 'TIME', type: 'LONG', ofSample: 'time' },
    { name: 'SAMPLE', type: 'UNKNOWN', ofSample: 'sample' },
    { name: 'uid', type: 'STRING', isHidden: true },
  ],
  STREAM: [
    { name: 'cid', type: 'STRING' },
    { name: 'id', type: 'STRING' },
    { name: 'name', type: 'STRING' },
    { name: 'time', type: 'LONG', isHidden: true, ofSample: 'time' },
    { name: 'sample', type: 'UNKNOWN', isHidden: true, ofSample: 'sample' },
  ],
  COMPONENT: [{ name: 'cid', type: 'STRING' }],
}

function readsOf(text: string): readonly CompiledRead[] {
  return compileGsSql(text, { stored }).statements.flatMap(({ query }) => query.reads)
}

/** The conditions of the first read, without values that are known at run time only. */
function predicatesOf(text: string, read = 0): string[] {
  const { ask } = readsOf(text)[read]
  return (ask?.predicates ?? []).map(({ column, is, cells }) => {
    const shown = cells.map((cell) => (typeof cell === 'string' ? `'${cell}'` : `#${cell}`))
    return `${column} ${is} ${shown.join(' ')}`
  })
}

test('compileGsSql() hands conditions on columns to the stored tables that have them', () => {
  const check = (where: string, ...expected: string[]): void =>
    assert.deepEqual(predicatesOf(`SELECT SAMPLE FROM SAMPLE WHERE ${where}`), expected, where)
  check("cid = 'a'", "CID in 'a'")
  check("'a' = cid AND id IN ('x', 'y')", "CID in 'a'", "ID in 'x' 'y'")
  check("(cid = 'a' OR cid = 'b') AND time >= 5", "CID in 'a' 'b'", 'TIME >= #0')
  check('5 < time AND time <= now() - 1000', 'TIME > #0', 'TIME <= #1')
  check('time BETWEEN @LAST_RUN_DATE AND now()', 'TIME >= #0', 'TIME <= #1')
  check("cid <> 'a' AND NOT (id = 'x') AND cid LIKE 'a%' AND cid > 'a' + id")
  check("cid = 'a' OR id = 'b'")
  check('sample > 5', 'SAMPLE > #0')
})

test('compileGsSql() follows columns that are equal, and narrows no table whose rows stay without a match', () => {
  const of = (text: string, read: number) => predicatesOf(text, read)
  const joined = (join: string) =>
    `SELECT a.sample FROM STREAM s ${join} SAMPLE a ON a.cid = s.cid AND a.time > 5 AND s.id = 'x' WHERE s.cid = 'c'`
  assert.deepEqual(of(joined('JOIN'), 0).sort(), ["cid in 'c'", "id in 'x'"])
  assert.deepEqual(of(joined('JOIN'), 1).sort(), ["CID in 'c'", 'TIME > #0'])
  assert.deepEqual(of(joined('LEFT JOIN'), 0), ["cid in 'c'"])
  assert.deepEqual(of(joined('LEFT JOIN'), 1).sort(), ["CID in 'c'", 'TIME > #0'])
  assert.deepEqual(of(joined('RIGHT JOIN'), 1), [])
  const using = "SELECT * FROM STREAM s JOIN SAMPLE a USING (cid) WHERE cid = 'c'"
  assert.deepEqual([of(using, 0), of(using, 1)], [["cid in 'c'"], ["CID in 'c'"]])
  const inner =
    "SELECT cid FROM STREAM s WHERE NOT EXISTS (SELECT 1 FROM SAMPLE a WHERE a.cid = s.cid AND s.cid = 'c')"
  assert.deepEqual(of(inner, 0), [])
})

test('compileGsSql() reads sums instead of samples where a query needs no more', () => {
  const isSummed = (text: string) => readsOf(text)[0].ask?.isSummed === true
  for (const text of [
    'SELECT count(*) FROM SAMPLE',
    'SELECT cid, id, min(sample), max(sample), sum(sample), avg(sample) FROM SAMPLE GROUP BY cid, id',
    'SELECT first(sample), last(sample), min(time), max(time), count(sample) FROM SAMPLE WHERE time > 5',
    "SELECT cid, count(*) AS n FROM SAMPLE WHERE id = 'x' AND time BETWEEN 1 AND 9 GROUP BY cid HAVING n > 1 ORDER BY n",
    'SELECT id, max(sample) - min(sample) FROM STREAM GROUP BY id',
    'SELECT count(*) FROM STREAM WHERE time > 5',
    'SELECT time - time % 1000 AS t, max(sample) FROM SAMPLE GROUP BY t ORDER BY t',
    'SELECT cid, time - time % 7 + 7, avg(sample) FROM SAMPLE GROUP BY cid, time - time % 7',
  ])
    assert.ok(isSummed(text), text)
  for (const text of [
    'SELECT sample FROM SAMPLE',
    'SELECT count(*) FROM STREAM',
    'SELECT max(sample * 2) FROM SAMPLE',
    'SELECT time - time % 1000 AS t, max(sample) FROM SAMPLE GROUP BY t, time - time % 500',
    'SELECT time % 1000 AS t, max(sample) FROM SAMPLE GROUP BY t',
    'SELECT max(sample) FROM SAMPLE WHERE sample > 5',
    'SELECT max(sample) FROM SAMPLE WHERE time > 5 OR time < 3',
    'SELECT count(DISTINCT sample) FROM SAMPLE',
    'SELECT max(a.sample) FROM SAMPLE a JOIN STREAM s ON s.cid = a.cid',
    'SELECT max(sample) FROM SAMPLE(Range(last = 5))',
    'SELECT max(sample), (SELECT 1) FROM SAMPLE',
  ])
    assert.ok(!isSummed(text), text)
})

test('Sample(…) is read behind tables and among values, with its errors reported', () => {
  const settings = (text: string) => readsOf(text)[0].ask?.sample
  assert.deepEqual(
    settings("SELECT sample FROM SAMPLE(cycleId = 'day', stat = 'max', Range(sd = -7d, ed = now))"),
    { cycleId: 0, stat: 1, sd: 2, ed: 3 },
  )
  assert.deepEqual(settings('SELECT sample FROM STREAM SAMPLE(Range(last = 100)) AS s'), {
    last: 0,
  })
  const stats =
    "SELECT time, Sample(cycleId = 'day', stat = 'min', Range(currentCycle = 'year')), Sample(stat = 'max') FROM STREAM"
  assert.deepEqual(settings(stats), { cycleId: 0, currentCycle: 1 })
  assert.deepEqual(readsOf(stats)[0].columns, ['cid', 'time', 'stat 2', 'stat 3'])
  const check = (text: string, pattern: RegExp): void =>
    assert.throws(
      () => compileGsSql(text, { stored }),
      (error: unknown) => error instanceof ExpressionError && pattern.test(error.message),
      text,
    )
  check("SELECT sample FROM SAMPLE(cycle = 'day')", /Unknown setting "cycle".*cycleId/)
  check("SELECT sample FROM SAMPLE(stat = 'max')", /Add cycleId/)
  check('SELECT sample FROM SAMPLE(Range(last = 5, sd = -1d))', /Remove the others/)
  check('SELECT sample FROM SAMPLE(Range(sd = -1 fortnight))', /unit/)
  check('SELECT sample FROM SAMPLE(Range(sd = cid))', /not columns/)
  check("SELECT sample FROM SAMPLE(Range(last = 'x'))", /last must be a number/)
  check('SELECT sample FROM SAMPLE(cycleId = 5)', /cycleId must be a text/)
  check('SELECT cid FROM COMPONENT SAMPLE(Range(last = 5))', /no samples/)
  check('SELECT Sample(Range(last = 5)) FROM COMPONENT', /needs exactly one table/)
  check(
    'SELECT Sample(Range(last = 5)), Sample(Range(last = 6)) FROM SAMPLE',
    /may differ only in stat/,
  )
  check('SELECT first(x) FROM (SELECT 1 AS x) t', /first\(value, time\)/)
})

const ids = fc.constantFrom('a', 'b', 'c', '')
const rows = fc.array(
  fc.record({
    CID: ids,
    ID: fc.constantFrom('x', 'y'),
    TIME: fc.integer({ min: 0, max: 20 }).map(BigInt),
    SAMPLE: fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: -50, max: 50 }).map((value) => value / 4) },
      fc.constantFrom('on', 'off'),
    ),
  }),
  { maxLength: 30 },
)

const conditions = fc.oneof(
  fc.tuple(fc.constantFrom('cid', 'id'), ids).map(([column, id]) => `${column} = '${id}'`),
  fc.constantFrom("cid IN ('a', 'c')", "cid IN ('a', NULL, 5)", "(cid = 'a' OR 'b' = cid)"),
  fc
    .tuple(fc.constantFrom('<', '<=', '>', '>=', '='), fc.integer({ min: -1, max: 21 }))
    .map(([sign, time]) => `time ${sign} ${time}`),
  fc.constantFrom('time BETWEEN 4 AND 12', 'time > 3.5', 'now() - 5 < time', "time < 'x'"),
  fc.constantFrom('time >= NULL', "NOT (cid = 'a')", "(cid = 'a' OR id = 'x')", "cid || id = 'ax'"),
  fc.constantFrom('time > @LAST_RUN_DATE', "time > CAST('q' AS LONG)", '6 >= time'),
)
const wheres = fc
  .array(conditions, { maxLength: 4 })
  .map((parts) => (parts.length === 0 ? '' : ` WHERE ${parts.join(' AND ')}`))

/** Each sample once, as a store has them. */
function unique(list: readonly StoredRow[]): StoredRow[] {
  const byPlace = new Map(list.map((row) => [`${row.CID}\n${row.ID}\n${row.TIME}`, row]))
  return [...byPlace.values()]
}

/** The rows of a query in an order that depends on them alone; sums may differ in their last bits. */
function resultOf(text: string, list: readonly StoredRow[]): string {
  const streams = list.map(({ CID, ID }) => ({ cid: CID, id: ID, name: `${CID}-${ID}` }))
  const byName = [...new Map(streams.map((row) => [row.name, row])).values()]
  const given = {
    stored: { SAMPLE: list, STREAM: byName },
    now: 15n,
    variables: { '@LAST_RUN_DATE': 6n },
  }
  try {
    const [{ rows: found }] = runGsSql(text, given, { stored })
    const shown = found.map((row) =>
      row.map((cell) => (typeof cell === 'number' ? cell.toPrecision(12) : String(cell))).join('|'),
    )
    return shown.sort().join('\n')
  } catch (error) {
    return `failed: ${(error as Error).message.split('\n')[0]}`
  }
}

/** The same table behind a query, where nothing is handed to it. */
const PLAIN = '(SELECT CID, ID, TIME, SAMPLE FROM SAMPLE)'
const PLAIN_STREAM = '(SELECT cid, id, name FROM STREAM)'

test('a query over stored tables gives the same whether it is handed what it asks for or everything', () => {
  const values = fc.constantFrom(
    'SELECT CID, ID, TIME, SAMPLE FROM # AS s',
    'SELECT s.cid, count(*), count(sample), min(time), max(time) FROM # AS s',
    'SELECT min(sample), max(sample), first(sample), last(sample) FROM # AS s',
    'SELECT sum(sample), avg(sample) FROM # AS s',
  )
  const groups = fc.constantFrom(
    '',
    ' GROUP BY cid, id',
    ' GROUP BY cid',
    ' GROUP BY cid, id HAVING count(*) > 2',
  )
  const property = fc.property(values, wheres, groups, rows, (select, where, group, list) => {
    const isRows = select.startsWith('SELECT CID')
    const text = `${select}${where}${isRows ? '' : group}`
    const samples = unique(list)
    const expected = resultOf(text.replace('#', PLAIN), samples)
    const found = resultOf(text.replace('#', 'SAMPLE'), samples)
    // Without GROUP BY a bare column is that of any row.
    if (/^SELECT s\.cid, count/.test(text) && !text.includes('GROUP BY')) return
    if (expected.startsWith('failed') || found.startsWith('failed')) {
      assert.equal(found.slice(0, 6), expected.slice(0, 6), text)
      return
    }
    assert.equal(found, expected, text)
  })
  fc.assert(property, { seed, numRuns: roundsOf(600) })
})

test('sums of periods are those of their samples', () => {
  const groups = fc.constantFrom(' GROUP BY p', ' GROUP BY p, cid HAVING count(*) > 1')
  const property = fc.property(wheres, groups, rows, (where, group, list) => {
    const values = 'time - time % 4 AS p, count(*), min(sample), max(sample), last(sample)'
    const text = `SELECT ${values} FROM # AS s${where}${group}`
    const samples = unique(list)
    const expected = resultOf(text.replace('#', PLAIN), samples)
    assert.equal(resultOf(text.replace('#', 'SAMPLE'), samples), expected, text)
  })
  fc.assert(property, { seed, numRuns: roundsOf(200) })
})

test('joined stored tables give the same whether they are handed what is asked for or everything', () => {
  const joins = fc.constantFrom('JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN')
  const ons = fc.constantFrom(
    'ON a.cid = b.cid',
    'ON a.cid = b.cid AND a.id = b.id',
    "ON a.cid = b.cid AND b.id = 'x'",
    "ON a.cid = b.cid AND a.time > 9 AND a.id = 'y'",
    'USING (cid)',
    'USING (cid, id)',
  )
  const where = fc.constantFrom(
    '',
    " WHERE a.cid = 'a'",
    " WHERE b.cid = 'a'",
    " WHERE b.name = 'a-x'",
    ' WHERE a.time < 9',
    " WHERE b.id = 'x' AND a.cid IN ('a', 'b')",
    ' WHERE a.cid IS NULL',
  )
  const property = fc.property(joins, ons, where, rows, (join, on, tail, list) => {
    for (const [first, second] of [
      ['SAMPLE', 'STREAM'],
      ['STREAM', 'SAMPLE'],
    ]) {
      const [a, b] = first === 'SAMPLE' ? ['a', 'b'] : ['b', 'a']
      const text = (one: string, other: string) =>
        `SELECT a.cid, a.id, a.time, b.cid, b.id FROM ${one} AS ${a} ${join} ${other} AS ${b} ${on}${tail}`
      const plain = (name: string) => (name === 'SAMPLE' ? PLAIN : PLAIN_STREAM)
      const samples = unique(list)
      const expected = resultOf(text(plain(first), plain(second)), samples)
      assert.equal(resultOf(text(first, second), samples), expected, text(first, second))
    }
  })
  fc.assert(property, { seed, numRuns: roundsOf(200) })
})
