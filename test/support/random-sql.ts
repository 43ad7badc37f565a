/** Random texts of GS SQL: whole programs by its grammar, and heaps of its words. */
import { fc } from './fast-check.ts'

const names = fc.constantFrom(
  'a',
  'b',
  'id',
  'v',
  '"odd name"',
  'left',
  'first',
  '"from"',
  'time',
  'sample',
  'cid',
)
const tables = fc.constantFrom('t', 'u', '"T 2"')
const texts = fc.constantFrom("'x'", "'it''s'", '\'{"a":1}\'', '"so"', "''", "'[1,2]'")
const numbers = fc.constantFrom('0', '1', '2.5', '1e3', '9007199254740993')
const variables = fc.constantFrom('@HTTP_BODY', '@http_method', '@x')

const depth = fc.createDepthIdentifier()

const { expression, query } = fc.letrec<{
  expression: string
  query: string
  arm: string
  table: string
}>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 2, depthIdentifier: depth, withCrossShrink: true },
    numbers,
    texts,
    variables,
    names,
    fc.tuple(tables, names).map(([table, name]) => `${table}.${name}`),
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('+', '-', '*', '/', '%', '||', '=', '<>', '<', 'AND', 'OR', '&&', 'LIKE'),
        tie('expression'),
      )
      .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    fc
      .tuple(tie('expression'), fc.constantFrom('IS NULL', 'IS NOT NULL'))
      .map((parts) => `(${parts.join(' ')})`),
    fc
      .tuple(
        fc.constantFrom('len', 'upper', 'abs', 'sum', 'count', 'max', 'Left', 'nope'),
        tie('expression'),
      )
      .map(([name, arg]) => `${name}(${arg})`),
    tie('query').map((inner) => `(${inner})`),
    tie('query').map((inner) => `EXISTS (${inner})`),
    fc.tuple(tie('expression'), tie('query')).map(([left, inner]) => `(${left} NOT IN (${inner}))`),
    fc
      .tuple(tie('expression'), tie('expression'))
      .map(([when, then]) => `CASE WHEN ${when} THEN ${then} END`),
    tie('expression').map((operand) => `CAST(${operand} AS LONG)`),
    fc.constantFrom('count(*)', 'now()', 'count(DISTINCT v)', 'first(v, id)', 'last(v)'),
    fc.constantFrom(
      "Sample(stat = 'max')",
      "Sample(cycleId = 'day', Range(sd = -7d, ed = now - 1h))",
    ),
  ),
  table: fc.oneof(
    { maxDepth: 2, depthIdentifier: depth, withCrossShrink: true },
    tables,
    fc.constantFrom(
      'SAMPLE()',
      'STREAM SAMPLE(Range(last = 5)) AS t',
      'COMPONENT c',
      'STREAM sample',
      "SAMPLE(cycleId = @x, stat = 'max', Range(sd = now + 1d - 5min, ed = 7w)) AS u",
    ),
    fc
      .tuple(texts, tables)
      .map(
        ([text, name]) => `JSON_TABLE(${text}) WITH (a STRING '$[*].a', v LONG '$[*]') AS ${name}`,
      ),
    fc
      .tuple(texts, tables)
      .map(
        ([text, name]) =>
          `CSV_TABLE(${text} DELIMITER ';' HEADER) WITH (1 a STRING, 2 v DOUBLE) ${name}`,
      ),
    fc.tuple(tie('query'), tables).map(([inner, name]) => `(${inner}) AS ${name}`),
  ),
  arm: fc
    .record({
      distinct: fc.constantFrom('', 'DISTINCT '),
      items: fc.array(fc.tuple(tie('expression'), fc.constantFrom('', ' AS v', ' AS id')), {
        minLength: 1,
        maxLength: 2,
      }),
      from: fc.option(
        fc.tuple(
          tie('table'),
          fc.option(
            fc.tuple(
              fc.constantFrom('JOIN', 'LEFT JOIN', 'FULL OUTER JOIN'),
              tie('table'),
              tie('expression'),
            ),
          ),
        ),
      ),
      where: fc.option(tie('expression')),
      group: fc.option(tie('expression')),
    })
    .map(({ distinct, items, from, where, group }) => {
      const words = [`SELECT ${distinct}${items.map((item) => item.join('')).join(', ')}`]
      if (from !== null) {
        const [first, join] = from
        words.push(`FROM ${first}`)
        if (join !== null) words.push(`${join[0]} ${join[1]} ON ${join[2]}`)
      }
      if (where !== null) words.push(`WHERE ${where}`)
      if (group !== null) words.push(`GROUP BY ${group}`)
      return words.join(' ')
    }),
  query: fc
    .record({
      common: fc.option(fc.tuple(tables, tie('arm'))),
      arms: fc.array(tie('arm'), { minLength: 1, maxLength: 2 }),
      order: fc.option(
        fc.tuple(fc.constantFrom('1', 'v', 'a'), fc.constantFrom('', ' DESC', ' NULLS LAST')),
      ),
      limit: fc.option(fc.constantFrom('1', '@x', '2 OFFSET 1')),
    })
    .map(({ common, arms, order, limit }) => {
      const before = common === null ? '' : `WITH ${common[0]} AS (${common[1]}) `
      const behind = `${order === null ? '' : ` ORDER BY ${order.join('')}`}${limit === null ? '' : ` LIMIT ${limit}`}`
      return `${before}${arms.join(' UNION ALL ')}${behind}`
    }),
}))

/** Programs that the grammar takes; names and types may be wrong. */
export const randomPrograms: fc.Arbitrary<string> = fc
  .tuple(expression, query, fc.constantFrom('SELECT', 'INSERT'))
  .map(([value, inner, kind]) => {
    const insert = "INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE) WITH (CNAME = 'n') "
    return `SET @x = ${value}; ${kind === 'INSERT' ? insert : ''}${inner}`
  })

/** Words of the language in any order. */
export const randomHeaps: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'SELECT',
        'FROM',
        'WHERE',
        'GROUP BY',
        'ORDER BY',
        'LIMIT',
        'UNION ALL',
        'WITH',
        'AS',
        'JOIN',
        'ON',
      ),
      fc.constantFrom(
        '(',
        ')',
        ',',
        ';',
        '.',
        '*',
        '=',
        '||',
        'CASE',
        'WHEN',
        'END',
        'IN',
        'NOT',
        'EXISTS',
        'CAST(',
      ),
      fc.constantFrom(
        'INSERT OR REPLACE INTO SAMPLE(',
        'SET',
        'JSON_TABLE(',
        'CSV_TABLE(',
        'LEFT',
        'HEADER',
        'DISTINCT',
      ),
      names,
      tables,
      texts,
      numbers,
      variables,
    ),
    { minLength: 1, maxLength: 25 },
  )
  .map((words) => words.join(' '))

const valid = {
  values: fc.constantFrom(
    'a',
    'v',
    't.v + 1',
    "a || 'x'",
    'a + v',
    'len(a)',
    'v > 1',
    'v % 2',
    'CAST(a AS LONG)',
    "CASE v WHEN 1 THEN 'one' ELSE v END",
    'ifNull(v, 0) / 2',
    '(SELECT max(v) FROM d)',
    'v IN (SELECT v FROM d)',
    'NULL',
    '@x',
    "toEpochMillis(a, 'yyyy')",
  ),
  tests: fc.constantFrom(
    'v > 1',
    "a LIKE '%b%'",
    'v IS NOT NULL AND v < 3',
    'EXISTS (SELECT 1 FROM d WHERE d.v = t.v)',
    'v BETWEEN 1 AND 2',
    "a IN ('a', 'b')",
    "NOT v = 2 || a = 'a'",
  ),
  groups: fc.constantFrom(
    'count(*)',
    'sum(v)',
    'avg(v)',
    'max(a)',
    'group_concat(a)',
    'count(DISTINCT a) + 1',
    'min(v) > 0',
  ),
  tables: fc.constantFrom(
    'd t',
    '(SELECT * FROM d UNION ALL SELECT a, v * 2 FROM d) t',
    'd t LEFT JOIN d u USING (a, v)',
    'd t JOIN JSON_TABLE(\'[{"w":1},{"w":null}]\') WITH (w LONG \'$[*].w\') j ON j.w = t.v',
  ),
}

/** Queries whose names and types fit. */
export const randomQueries: fc.Arbitrary<string> = fc
  .record({
    items: fc.array(valid.values, { minLength: 1, maxLength: 3 }),
    groups: fc.option(fc.array(valid.groups, { minLength: 1, maxLength: 2 })),
    table: valid.tables,
    where: fc.option(valid.tests),
    behind: fc.constantFrom(
      '',
      ' ORDER BY 1',
      ' ORDER BY 1 DESC NULLS LAST LIMIT 2',
      ' LIMIT 1 OFFSET 1',
    ),
    distinct: fc.constantFrom('', 'DISTINCT '),
  })
  .map(({ items, groups, table, where, behind, distinct }) => {
    const d =
      "WITH d AS (SELECT a, v FROM CSV_TABLE('a,1\nb,2\n2024,3\nc,') WITH (1 a STRING, 2 v LONG))"
    const values = [...items, ...(groups ?? [])].join(', ')
    const test = where === null ? '' : ` WHERE ${where}`
    const group =
      groups === null ? '' : ` GROUP BY ${items.map((_, index) => index + 1).join(', ')}`
    return `SET @x = 'x'; ${d} SELECT ${distinct}${values} FROM ${table}${test}${group}${behind}`
  })
