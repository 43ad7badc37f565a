/** Texts that are no GS SQL are refused with a place, before anything runs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ExpressionError } from '../../src/expression/index.ts'
import { compileGsSql } from '../../src/sql/index.ts'

/** Compiles a text that must be refused; `place` is what the pointer stands below. */
function check(text: string, message: RegExp, place?: string): void {
  try {
    compileGsSql(text)
  } catch (error) {
    assert.ok(error instanceof ExpressionError, `${text}: ${String(error)}`)
    assert.match(error.message, message, text)
    assert.ok(error.line >= 1 && error.column >= 1 && error.pointer.includes('^'), text)
    const line = text.split('\n')[error.line - 1]
    const found = line.slice(error.column - 1, error.column - 1 + error.length)
    if (place !== undefined) assert.equal(found, place, text)
    return
  }
  assert.fail(`taken: ${text}`)
}

test('statements that are not in the language', () => {
  const others = [
    "ATTACH DATABASE '/tmp/x' AS y",
    'DETACH y',
    'PRAGMA journal_mode',
    "VACUUM INTO '/tmp/x'",
    'CREATE TABLE t(x)',
    'CREATE TEMP TRIGGER t AFTER INSERT ON s BEGIN SELECT 1; END',
    'CREATE VIRTUAL TABLE t USING fts5(x)',
    'DROP TABLE t',
    'ALTER TABLE t RENAME TO u',
    'BEGIN',
    'COMMIT',
    'SAVEPOINT s',
    'EXPLAIN SELECT 1',
    'REINDEX',
    'ANALYZE',

    'UPDATE t SET x = 1',
    'DELETE FROM SAMPLE',
    'REPLACE INTO SAMPLE(CID) SELECT 1',
    'VALUES (1)',
  ]
  for (const text of others)
    check(
      text,
      /^GS SQL does not support [A-Z]+: GS SQL has SET, SELECT and INSERT/,
      text.split(' ')[0],
    )
  check('SELECT 1; PRAGMA x', /GS SQL does not support PRAGMA/, 'PRAGMA')
  check('hello', /"HELLO" is not the start of a statement/, 'hello')
  check('', /There is no statement/)
  check(';;', /There is no statement/)
  check('SELECT 1 EXCEPT SELECT 2', /GS SQL does not support EXCEPT/, 'EXCEPT')
  check('WITH d AS (DELETE FROM x) SELECT 1', /Unexpected "DELETE"/, 'DELETE')
})

test('functions and tables of the engine below do not show', () => {
  for (const name of [
    'load_extension',
    'readfile',
    'writefile',
    'randomblob',
    'zeroblob',
    'sqlite_version',
    'typeof',
    'char',
    'printf',
    'glob',
    'json_extract',
    'weir_join',
    'eval',
  ]) {
    check(`SELECT ${name}('x')`, new RegExp(`Unknown function "${name}"`), name)
  }
  for (const name of [
    'sqlite_master',
    'sqlite_schema',
    'pragma_database_list',
    'dbstat',
    'json_each',
    'w1',
    't1',
    'weir_s0x1',
  ]) {
    check(`SELECT 1 FROM ${name}`, new RegExp(`Unknown table "${name}"`), name)
  }
  check("SELECT * FROM json_each('[1]')", /Unexpected "\("/, '(')
  check('SELECT rowid FROM (SELECT 1 AS x) t', /Unknown column "rowid"/, 'rowid')
  check('SELECT x COLLATE NOCASE FROM t', /Unexpected "NOCASE"/, 'NOCASE')
  check("SELECT 'a' REGEXP 'b'", /Unexpected/)
  check('SELECT sum(x) OVER (ORDER BY x) FROM t', /Unexpected "\("/, '(')
  check('SELECT ?', /Unexpected character/, '?')
  check('SELECT :v0', /Unexpected character/, ':')
  check("SELECT x'00'", /Unexpected/)
  check('SELECT `a`', /Unexpected character/, '`')
  check('SELECT [a]', /Unexpected character/, '[')
})

test('missing and excess parts are reported at their place', () => {
  check('SELECT 1 SELECT 2', /Separate statements with ";"/, 'SELECT')
  check(
    "SET @x = 1\nINSERT OR REPLACE INTO SAMPLE(CID, ID, SAMPLE) SELECT 'c', 's', 1",
    /Separate statements with ";"/,
    'INSERT',
  )
  check('SELECT', /The query is incomplete/)
  check('SELECT ; SELECT 1', /The statement is incomplete/, ';')
  check('SELECT 1 FROM', /expected a table/)
  check('SELECT (1', /expected "\)"/)
  check('SELECT 1)', /This "\)" has no matching "\("/, ')')
  check('SELECT from FROM t', /Unexpected.*in double quotes/, 'from')
  check('SELECT 1 FROM t LIMIT 1, 2', /LIMIT count OFFSET start/, ',')
  check('INSERT INTO SAMPLE(CID) SELECT 1', /Write INSERT OR REPLACE INTO SAMPLE/, 'INTO')
  check('SET x = 1', /A variable starts with @/, 'x')
  check('SET @x == 1', /expected "="/, '==')
  check("SELECT 'abc", /This text is not closed/, "'")
  check('SELECT 1 /* x', /This comment is not closed/, '/*')
})

test('names and types are checked', () => {
  check('SELECT @nope', /Unknown variable @nope: write SET before/, '@nope')
  check('SELECT @HTTP_BDY', /did you mean @HTTP_BODY/, '@HTTP_BDY')
  check('SELECT @later; SET @later = 1', /Unknown variable @later/, '@later')
  check('SELECT tmp FROM (SELECT 1 AS temp) t', /Unknown column "tmp": did you mean "temp"/, 'tmp')
  check('SELECT u.x FROM (SELECT 1 AS x) t', /Unknown table "u"/, 'u.x')
  check('SELECT x FROM (SELECT 1 AS x) a, (SELECT 2 AS x) b', /Column "x" is ambiguous/, 'x')
  check(
    'SELECT 1 FROM (SELECT 1 AS x) a, (SELECT 2 AS x) A',
    /Two tables in FROM have the name "a"/,
  )
  check('SELECT 1 FROM dat', /Unknown table "dat": tables are STREAM, SAMPLE, COMPONENT/, 'dat')
  check('SELECT 1 FROM STREAMS', /Unknown table "STREAMS": did you mean "STREAM"/, 'STREAMS')
  check('WITH data AS (SELECT 1 AS x) SELECT 1 FROM dat', /did you mean "data"/, 'dat')
  check('WITH a AS (SELECT 1), a AS (SELECT 2) SELECT 1', /Two tables have the name "a"/, 'a')
  check('WITH a(x, y) AS (SELECT 1) SELECT 1', /lists 2 column names, but its query has 1/, 'x, y')
  check('WITH n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT 1', /Unknown table "n"/, 'n')
  check("SELECT 1 - 'a'", /Expected a number, got a text/, "'a'")
  check("SELECT 1 WHERE 'a'", /Expected a condition, got a text/, "'a'")
  check('SELECT CAST(1 AS BLOB)', /Unknown type BLOB/, 'BLOB')
  check('SELECT *', /"\*" needs a table/, '*')
  check('SELECT t.* FROM (SELECT 1 AS x) u', /Unknown table "t"/, 't.*')
})

test('what belongs together is checked', () => {
  check('SELECT 1, 2 UNION ALL SELECT 1', /The first has 2, this one has 1/, '1')
  check('SELECT (SELECT 1, 2)', /must have one column, this one has 2/)
  check('SELECT 1 IN (SELECT 1, 2)', /must have one column, this one has 2/)
  check(
    'SELECT count(*) FROM (SELECT 1 AS x) t WHERE count(*) > 1',
    /count\(\) is not allowed in WHERE/,
    'count(*)',
  )
  check(
    'SELECT sum(max(x)) FROM (SELECT 1 AS x) t',
    /max\(\) cannot be nested in another/,
    'max(x)',
  )
  check('SELECT sum(*) FROM (SELECT 1 AS x) t', /Only count accepts "\*"/)
  check('SELECT len(DISTINCT x) FROM (SELECT 1 AS x) t', /does not accept DISTINCT/)
  check('SELECT count(1, 2)', /count\(\) takes one argument/)
  check('SELECT 1 AS a ORDER BY 2', /There is no value 2: SELECT gives 1/, '2')
  check(
    'SELECT 1 AS a UNION ALL SELECT 2 ORDER BY a + 1',
    /ORDER BY accepts only names and positions/,
  )
  check(
    'SELECT 1 FROM (SELECT 1 AS x) t LEFT JOIN (SELECT 1 AS x) u',
    /LEFT JOIN needs ON or USING/,
  )
  check(
    'SELECT 1 FROM (SELECT 1 AS x) t JOIN (SELECT 1 AS y) u USING (x)',
    /USING needs exactly one column "x" on each side/,
    'x',
  )
  check(
    'SELECT x FROM (SELECT 1 AS x) t LIMIT x',
    /LIMIT and OFFSET accept numbers and variables/,
    'x',
  )
  check(
    "SELECT * FROM (SELECT '[]' AS j) t, JSON_TABLE(j) WITH (a STRING '$[*]')",
    /JSON_TABLE accepts variables, texts, and queries/,
    'j',
  )
})

test('a table of WITH RECURSIVE is read by its last SELECTs, once, and in no query within them', () => {
  const made = (last: string) => `WITH RECURSIVE r(i) AS (SELECT 1 ${last}) SELECT i FROM r`
  const within = /"r" is being defined here. Only the FROM of its own SELECTs can read it/
  const alone = /is not allowed in the recursive part of "r"/
  check(made('UNION ALL SELECT max(i) + 1 FROM r'), alone, 'max(i)')
  check(made('UNION ALL SELECT i + 1 FROM r GROUP BY i'), alone, 'i')
  check(made('UNION ALL SELECT i + 1 FROM r ORDER BY 1 LIMIT (SELECT max(i) FROM r)'), within, 'r')
  check(made('UNION ALL SELECT (SELECT max(i) FROM r) + 1'), within, 'r')
  check(made('UNION ALL SELECT (SELECT max(r.i) FROM (SELECT 1 AS j) q) FROM r'), /max\(\) takes/)
  check(made('UNION ALL SELECT q.i FROM (SELECT * FROM r) q'), within, 'r')
  check(made('UNION ALL SELECT i FROM r WHERE i IN (SELECT i FROM r)'), within, 'r')
  check(made('UNION ALL SELECT a.i FROM r a, r b'), /can read it once only/, 'r')
  check(
    made('UNION ALL SELECT i FROM r UNION ALL SELECT 2'),
    /SELECTs that read "r" must come after those that do not/,
    'r',
  )
  check(
    made('UNION ALL SELECT i FROM r UNION SELECT i FROM r'),
    /must all use the same kind of UNION/,
    'r',
  )
  check(
    'WITH RECURSIVE r(i) AS (SELECT i FROM r UNION ALL SELECT 1) SELECT i FROM r',
    /The first SELECT of "r" gives the rows it starts with/,
    'r',
  )
  for (const last of ['UNION SELECT i % 3 + 1 FROM r', 'UNION ALL SELECT DISTINCT i + 1 FROM r']) {
    compileGsSql(made(last))
  }
})

test('functions of groups and HAVING need groups', () => {
  const t = "FROM CSV_TABLE('1') WITH (1 i LONG) AS t"
  check('SELECT 1 HAVING 1 = 1', /HAVING needs GROUP BY or an aggregate function/, '1 = 1')
  check(`SELECT i ${t} HAVING count(*) > 1`, /HAVING/, 'count(*) > 1')
  check(`SELECT i ${t} ORDER BY count(*)`, /count\(\) cannot stand in ORDER BY/, 'count(*)')
  check(`SELECT i ${t} WHERE (SELECT sum(t.i)) > 1`, /sum\(\) takes columns of a SELECT/)
  compileGsSql(`SELECT i ${t} GROUP BY i HAVING count(*) > 1 ORDER BY count(*)`)
  compileGsSql(`SELECT count(*) AS n ${t} HAVING n > 1 ORDER BY sum(i)`)
})

test('what looks like a number or a test is no name of a value', () => {
  check('SELECT 0x10', /This is not a number/, '0x10')
  check('SELECT 1_000 FROM (SELECT 1 AS i) t', /This is not a number/, '1_000')
  check('SELECT i ISNULL FROM (SELECT 1 AS i) t', /Write IS NULL instead/, 'ISNULL')
  check('SELECT i notnull FROM (SELECT 1 AS i) t', /Write IS NOT NULL instead/, 'notnull')
  for (const text of ['SELECT 1 x10', 'SELECT 1 AS isnull', 'SELECT 1 "ISNULL"']) compileGsSql(text)
})

test('INSERT is checked', () => {
  const start = 'INSERT OR REPLACE INTO'
  check(
    `${start} SAMPLE(CID, ID, TIME, SAMPLE) SELECT 'c', 's', 1 = 1, 3`,
    /TIME must be epoch milliseconds, not a condition/,
    '1 = 1',
  )
  check(`${start} STREAM(CID, ID, SAMPLE) SELECT 1, 2, 3`, /Cannot insert into "STREAM"/, 'STREAM')
  check(`${start} SAMPLE(CID, ID, TIME) SELECT 1, 2, 3`, /Column SAMPLE is missing/)
  check(
    `${start} SAMPLE(CID, ID, SAMPLE, VALUE) SELECT 1, 2, 3, 4`,
    /SAMPLE has no column "VALUE"/,
    'VALUE',
  )
  check(`${start} SAMPLE(CID, ID, ID, SAMPLE) SELECT 1, 2, 3, 4`, /Column ID is listed twice/, 'ID')
  check(
    `${start} SAMPLE(CID, ID, SAMPLE) SELECT 1, 2`,
    /INSERT names 3 columns, its SELECT gives 2/,
  )
  check(
    `${start} SAMPLE(CID, ID, SAMPLE) WITH (FOLDER='x') SELECT 1, 2, 3`,
    /Unknown option "FOLDER"/,
    'FOLDER',
  )
  check(
    `${start} SAMPLE(CID, ID, SAMPLE) WITH (CNAM='x') SELECT 1, 2, 3`,
    /did you mean CNAME/,
    'CNAM',
  )
  check(
    `${start} SAMPLE(CID, ID, SAMPLE) WITH (CNAME='x') SELECT 1, 2, 3 WITH (CNAME='y')`,
    /Option CNAME is given twice/,
  )
  check(
    `${start} SAMPLE(CID, ID, SAMPLE) WITH (CNAME=x) SELECT 1, 2, 3 AS x`,
    /Columns are not available here/,
    'x',
  )
  check(
    `${start} SAMPLE(CID, ID, SAMPLE) VALUES (1, 2, 3)`,
    /Unexpected "VALUES": expected SELECT/,
    'VALUES',
  )
})

test('JSON_TABLE and CSV_TABLE are checked', () => {
  const json = (columns: string) => `SELECT 1 FROM JSON_TABLE(@HTTP_BODY) WITH (${columns})`
  check(json("a STRING 'a'"), /A path starts with \$/, 'a')
  check(json("a STRING '$.a[x]'"), /Invalid path step/, '[')
  check(json("a STRING '$..a'"), /Invalid path step/, '.')
  check(json("a STRING '$[*].x', b STRING '$.b[*]'"), /expands a different array/, "'$.b[*]'")
  check(json("a STRING '$.a', A LONG '$.b'"), /Two columns have the name "A"/, 'A')
  check(json("a VARCHAR '$.a'"), /Unknown type VARCHAR/, 'VARCHAR')
  check(json('a STRING'), /Unexpected/, ')')
  check(json(''), /expected a name/, ')')
  check('SELECT 1 FROM JSON_TABLE(@HTTP_BODY)', /expected WITH/)
  check(
    'SELECT 1 FROM CSV_TABLE(@HTTP_BODY) WITH (0 a STRING)',
    /A position must be an integer from 1/,
    '0',
  )
  check(
    'SELECT 1 FROM CSV_TABLE(@HTTP_BODY) WITH (1.5 a STRING)',
    /A position must be an integer from 1/,
    '1.5',
  )
  check(
    "SELECT 1 FROM CSV_TABLE(@HTTP_BODY DELIMITER 'ab') WITH (1 a STRING)",
    /A delimiter must be one character/,
    "'ab'",
  )
  check(
    'SELECT 1 FROM CSV_TABLE(@HTTP_BODY HEADER) HEADER WITH (1 a STRING)',
    /HEADER is given twice/,
    'HEADER',
  )
})
