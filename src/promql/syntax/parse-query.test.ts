import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileTestPattern } from '../../../test/support/promql-series.ts'
import { PROMQL_CHARS_MAX, PROMQL_DEPTH_MAX } from '../promql-limits.ts'
import { checkQuery } from './check-query.ts'
import { parseQuery } from './parse-query.ts'
import type { QueryNode } from './query-node.ts'

/** A tree as text with all parentheses. */
function show(node: QueryNode): string {
  switch (node.kind) {
    case 'number':
      return `${node.value}`
    case 'string':
      return JSON.stringify(node.value)
    case 'selector': {
      const matchers = node.matchers.map((one) => `${one.name}${one.operation}${one.value}`)
      const at = node.at === undefined ? '' : `@${node.at}`
      return `{${matchers.join(',')}}${at}${node.offsetMs === 0 ? '' : `-${node.offsetMs}`}`
    }
    case 'matrix':
      return `${show(node.selector)}[${node.rangeMs}]`
    case 'subquery':
      return `${show(node.inner)}[${node.rangeMs}:${node.stepMs}]`
    case 'call':
      return `${node.name}(${node.args.map(show).join(',')})`
    case 'aggregate':
      return `${node.operation} ${node.isWithout ? 'without' : 'by'}(${node.grouping})(${show(node.inner)})`
    case 'binary':
      return `(${show(node.left)} ${node.operation} ${show(node.right)})`
    case 'unary':
      return `(${node.operation}${show(node.inner)})`
    case 'paren':
      return show(node.inner)
  }
}

function check(query: string): QueryNode {
  const node = parseQuery(query)
  checkQuery(query, node, compileTestPattern)
  return node
}

test('parseQuery() binds operators as Prometheus does', () => {
  const same = (query: string, tree: string): void => assert.equal(show(check(query)), tree, query)
  same('-1 ^ 2', '(-(1 ^ 2))')
  same('2 ^ 3 ^ 2', '(2 ^ (3 ^ 2))')
  same('-2 * 3', '(-2 * 3)')
  same('1 + 2 * 3 % 4 - 5', '((1 + ((2 * 3) % 4)) - 5)')
  same('a + b offset 5m', '({__name__=a} + {__name__=b}-300000)')
  same('-a offset -5m @ end()', '(-{__name__=a}@end--300000)')
  same(
    'a and b or c unless d',
    '(({__name__=a} and {__name__=b}) or ({__name__=c} unless {__name__=d}))',
  )
  same('a > bool 1 atan2 2', '({__name__=a} > (1 atan2 2))')
})

test('parseQuery() reads literals of Prometheus 3', () => {
  const same = (query: string, value: number): void => assert.equal(show(check(query)), `${value}`)
  same('1h30m', 5_400)
  same('1e3', 1_000)
  same('1_000.5', 1_000.5)
  same('0x1F', 31)
  same('017', 15)
  same('1.', 1)
  same('.5', 0.5)
  same('+Inf', Number.POSITIVE_INFINITY)
  same('NaN', Number.NaN)
  assert.equal(show(check(String.raw`"a\n\u00e9\x41\101"`)), '"a\\néAA"')
  assert.equal(show(check('`a\\n`')), '"a\\\\n"')
})

test('parseQuery() reads names in quotes and keywords as names', () => {
  const same = (query: string, tree: string): void => assert.equal(show(check(query)), tree, query)
  same('{"my.metric", "label é"=~"x"}', '{__name__=my.metric,label é=~x}')
  same('sum by ("a.b", on) (sum)', 'sum by(a.b,on)({__name__=sum})')
  same('start + end{step="1"}', '({__name__=start} + {step=1,__name__=end})')
  same('fill + fill', '({__name__=fill} + {__name__=fill})')
  same('x[5m:]', '{__name__=x}[300000:0]')
})

test('parseQuery() and checkQuery() name the place of the first fault', () => {
  const fails = (query: string, message: string): void =>
    assert.throws(() => check(query), { kind: 'bad_data', message }, query)
  fails('', '1:1: parse error: no expression found in input')
  fails('1 +', '1:4: parse error: unexpected end of input')
  fails('sum(x', '1:6: parse error: unclosed left parenthesis')
  fails('\n é', "2:2: parse error: unexpected character: 'é'")
  fails(
    'rate(x)',
    '1:6: parse error: expected type range vector in call to function "rate", got instant vector',
  )
  fails('rate(x[5m], 1)', '1:1: parse error: expected 1 argument(s) in call to "rate", got 2')
  fails('1 == 1', '1:3: parse error: comparisons between scalars must use BOOL modifier')
  fails('x and 1', '1:1: parse error: set operator "and" not allowed in binary scalar expression')
  fails(
    '{a=~".*"}',
    '1:1: parse error: vector selector must contain at least one non-empty matcher',
  )
  fails('nothing(x)', '1:1: parse error: unknown function with name "nothing"')
  fails('"open', '1:1: parse error: unterminated quoted string')
  fails('293y', '1:1: parse error: duration out of range')
  fails('x[5m] offset 1m offset 2m', '1:1: parse error: offset may not be set multiple times')
})

test('parseQuery() names experimental parts that are missing', () => {
  const parts: Record<string, string> = {
    'a + fill(0) b': 'modifier "fill"',
    'rate(x[5m] anchored)': 'modifier "anchored"',
    'x smoothed': 'modifier "smoothed"',
    'limit_ratio(0.5, x)': 'aggregation "limit_ratio"',
    'start_timestamp(x)': 'function "start_timestamp"',
  }
  for (const [query, part] of Object.entries(parts)) {
    const message = new RegExp(`${part.replaceAll('"', '"')} is experimental in Prometheus`)
    assert.throws(() => check(query), { kind: 'bad_data', message }, query)
  }
})

test('parseQuery() refuses deep and long queries with an error of its own', () => {
  const deep = PROMQL_DEPTH_MAX * 50
  const hostile = [
    `${'('.repeat(deep)}1${')'.repeat(deep)}`,
    `${'-'.repeat(deep)}x`,
    `1${'^1'.repeat(deep)}`,
    `x${'+x'.repeat(deep)}`,
    `${'abs('.repeat(deep)}x${')'.repeat(deep)}`,
    `x${'[1m:1m]'.repeat(deep / 50)}`,
  ]
  for (const query of hostile) {
    assert.throws(() => check(query), { kind: 'bad_data' }, query.slice(0, 20))
  }
  const long = ' '.repeat(PROMQL_CHARS_MAX)
  assert.throws(() => check(`1${long}`), { kind: 'bad_data', message: /characters/ })
  check(Array.from({ length: 250 }, () => 'x').join(' or '))
})
