/** The few statements of InfluxQL that clients send before they write. */

const SHOW_DATABASES = /^show\s+databases$/i
const CREATE_DATABASE = /^create\s+database\b/i
const SHOW_POLICIES = /^show\s+retention\s+policies\b/i

const UNSUPPORTED =
  'Weir runs no InfluxQL. Read with GET /api/comp/{component}/feed, GET /api/gql, or the studio'

/** Statements of one call: more ask for nothing that a client needs. */
const STATEMENTS_MAX = 100

/** The answer to the statements of a query. */
export function answerInfluxQuery(query: string): string {
  const statements = splitStatements(query).slice(0, STATEMENTS_MAX)
  const results = statements.map((statement, at) => ({
    statement_id: at,
    ...resultOf(statement),
  }))
  return JSON.stringify({ results })
}

/** Semicolons end statements, but for those inside of quotes. */
function splitStatements(query: string): string[] {
  const statements: string[] = []
  let begin = 0
  let quote = ''
  for (let at = 0; at <= query.length; at++) {
    const character = query[at] ?? ';'
    if (quote !== '' && at < query.length) {
      if (character === '\\') at += 1
      else if (character === quote) quote = ''
    } else if (character === '"' || character === "'") {
      quote = character
    } else if (character === ';') {
      const statement = query.slice(begin, at).trim()
      if (statement !== '') statements.push(statement)
      begin = at + 1
    }
  }
  return statements.length === 0 ? [''] : statements
}

function resultOf(statement: string): object {
  if (SHOW_DATABASES.test(statement)) {
    return { series: [{ name: 'databases', columns: ['name'], values: [['weir']] }] }
  }
  if (CREATE_DATABASE.test(statement)) return {}
  if (SHOW_POLICIES.test(statement)) {
    const columns = ['name', 'duration', 'shardGroupDuration', 'replicaN', 'default']
    return { series: [{ columns, values: [['autogen', '0s', '168h0m0s', 1, true]] }] }
  }
  return { error: UNSUPPORTED }
}
