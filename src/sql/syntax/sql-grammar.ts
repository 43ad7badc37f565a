/** The grammar of GS SQL: statements, queries and tables; expressions are those of the language of formulas. */
import type { IToken } from 'chevrotain'
import { type Expression, loadSyntax } from '../../expression/index.ts'
import { sqlNameOfToken } from './sql-sample-grammar.ts'
import { SqlTableGrammar } from './sql-table-grammar.ts'
import { keyword, Semicolon } from './sql-tokens.ts'
import type * as tree from './sql-tree.ts'

const { spanOf, tokens: t, TreeBuilder } = loadSyntax()

/** Queries within queries; each level takes some 10 KB of the stack. */
export const QUERY_NESTING_MAX = 20

/** Parts of one text: each costs some microseconds to read and check. */
const PARTS_MAX = 20_000

/** Statements of one text. */
export const STATEMENTS_MAX = 100

type Options = tree.InsertStatement['options'][number][]

interface Tables {
  readonly isRecursive: boolean
  readonly tables: tree.CommonTable[]
}

const NO_TABLES: Tables = { isRecursive: false, tables: [] }

/** Reads the statements of a text from its tokens; made once and used again. */
export class SqlGrammar extends SqlTableGrammar {
  #queries = 0

  constructor() {
    super()
    this.performSelfAnalysis()
  }

  /** Takes the tokens of a text; throws ExpressionError at the first that does not fit. */
  readStatements(
    text: string,
    tokens: IToken[],
    {
      conditions,
      isCondition,
    }: { conditions: ReadonlySet<number>; isCondition: (node: Expression) => boolean },
  ): tree.Statement[] {
    const builder = new TreeBuilder(text, { what: 'text', nodesMax: PARTS_MAX })
    this.conditions = conditions
    this.#queries = 0
    this.begin(builder, tokens, { isVariable: () => false, isCondition })
    const statements = this.program()
    this.refuseMistakes()
    return statements
  }

  program = this.RULE('program', (): tree.Statement[] => {
    const statements: tree.Statement[] = []
    const add = (statement: tree.Statement) =>
      this.ACTION(() => {
        statements.push(statement)
        if (statements.length <= STATEMENTS_MAX) return
        this.builder.fail(`Too many statements: at most ${STATEMENTS_MAX}`, statement.span)
      })
    this.MANY(() => this.CONSUME(Semicolon))
    this.OPTION(() => {
      add(this.SUBRULE(this.statement))
      this.MANY2(() => {
        this.CONSUME2(Semicolon)
        this.OPTION2(() => add(this.SUBRULE2(this.statement)))
      })
    })
    return statements
  })

  private statement = this.RULE(
    'statement',
    (): tree.Statement =>
      this.OR([
        { ALT: () => this.SUBRULE(this.setStatement) },
        { ALT: () => this.SUBRULE(this.queryStatement) },
      ]),
  )

  private setStatement = this.RULE('setStatement', (): tree.Statement => {
    const first = this.CONSUME(keyword('SET'))
    const name = this.CONSUME(t.Name)
    const sign = this.CONSUME(t.Comparison)
    const value = this.SUBRULE(this.expression)
    return this.ACTION(() => {
      this.#needEquals(sign)
      const variable = sqlNameOfToken(name)
      if (!/^@./.test(variable.text)) {
        this.builder.fail('A variable starts with @. Write SET @name = value', variable.span)
      }
      return { kind: 'set', variable, value, span: this.spanFrom(first) }
    })
  })

  private queryStatement = this.RULE('queryStatement', (): tree.Statement => {
    const first = this.LA(1)
    const tables = this.OPTION(() => this.SUBRULE(this.commonTables)) ?? NO_TABLES
    return this.OR([
      { ALT: () => this.SUBRULE(this.insertStatement, { ARGS: [first, tables] }) },
      {
        ALT: () => {
          const query = this.SUBRULE(this.queryBody, { ARGS: [first, tables] })
          return this.ACTION((): tree.Statement => ({ kind: 'select', query, span: query.span }))
        },
      },
    ])
  })

  private insertStatement = this.RULE(
    'insertStatement',
    (first: IToken, before: Tables): tree.Statement => {
      this.CONSUME(keyword('INSERT'))
      this.CONSUME(t.Or)
      this.CONSUME(keyword('REPLACE'))
      this.CONSUME(keyword('INTO'))
      const table = this.SUBRULE(this.sqlName)
      this.CONSUME(t.LeftParenthesis)
      const columns = this.SUBRULE(this.names)
      this.CONSUME(t.RightParenthesis)
      const early = this.OPTION(() => this.SUBRULE(this.insertOptions)) ?? []
      const start = this.LA(1)
      const own = this.OPTION2(() => this.SUBRULE(this.commonTables)) ?? NO_TABLES
      const tables = this.ACTION(() => ({
        isRecursive: before.isRecursive || own.isRecursive,
        tables: [...before.tables, ...own.tables],
      }))
      const query = this.SUBRULE(this.queryBody, { ARGS: [start, tables] })
      const late = this.OPTION3(() => this.SUBRULE2(this.insertOptions)) ?? []
      return this.ACTION(() => {
        const options = [...early, ...late]
        return { kind: 'insert', table, columns, options, query, span: this.spanFrom(first) }
      })
    },
  )

  private insertOptions = this.RULE('insertOptions', (): Options => {
    const options: Options = []
    this.CONSUME(keyword('WITH'))
    this.CONSUME(t.LeftParenthesis)
    this.AT_LEAST_ONE_SEP({
      SEP: t.Comma,
      DEF: () => {
        const name = this.SUBRULE(this.sqlName)
        const sign = this.CONSUME(t.Comparison)
        const value = this.SUBRULE(this.expression)
        this.ACTION(() => {
          this.#needEquals(sign)
          options.push({ name, value })
        })
      },
    })
    this.CONSUME(t.RightParenthesis)
    return options
  })

  private commonTables = this.RULE('commonTables', (): Tables => {
    const tables: tree.CommonTable[] = []
    this.CONSUME(keyword('WITH'))
    const recursive = this.OPTION(() => this.CONSUME(keyword('RECURSIVE')))
    this.AT_LEAST_ONE_SEP({
      SEP: t.Comma,
      DEF: () => {
        const name = this.SUBRULE(this.sqlName)
        const columns = this.OPTION2(() => {
          this.CONSUME(t.LeftParenthesis)
          const names = this.SUBRULE(this.names)
          this.CONSUME(t.RightParenthesis)
          return names
        })
        this.CONSUME(t.As)
        this.CONSUME2(t.LeftParenthesis)
        const query = this.SUBRULE(this.query)
        this.CONSUME2(t.RightParenthesis)
        this.ACTION(() => tables.push({ name, columns, query }))
      },
    })
    return this.ACTION(() => ({ isRecursive: recursive !== undefined, tables }))
  })

  protected override query = this.RULE('query', (): tree.Query => {
    const first = this.LA(1)
    const tables = this.OPTION(() => this.SUBRULE(this.commonTables)) ?? NO_TABLES
    return this.SUBRULE(this.queryBody, { ARGS: [first, tables] })
  })

  private queryBody = this.RULE('queryBody', (first: IToken, common: Tables): tree.Query => {
    this.ACTION(() => this.#enterQuery(first))
    const arms = [this.SUBRULE(this.arm, { ARGS: [undefined] })]
    this.MANY(() => {
      this.CONSUME(keyword('UNION'))
      const all = this.OPTION(() => this.CONSUME(keyword('ALL')))
      arms.push(this.SUBRULE2(this.arm, { ARGS: [all === undefined ? 'UNION' : 'UNION ALL'] }))
    })
    const order = this.OPTION2(() => this.SUBRULE(this.orderBy)) ?? []
    const limit = this.OPTION3(() => {
      this.CONSUME(keyword('LIMIT'))
      return this.SUBRULE(this.expression)
    })
    const offset = this.OPTION4(() => {
      this.CONSUME(keyword('OFFSET'))
      return this.SUBRULE2(this.expression)
    })
    return this.ACTION(() => {
      this.#queries -= 1
      const { tables, isRecursive } = common
      const parts = { tables, arms, order, limit, offset }
      const span = this.spanFrom(first)
      const depth = depthOf(parts)
      this.builder.refuseDepth(depth, span)
      return { ...parts, isRecursive, span, depth }
    })
  })

  private orderBy = this.RULE('orderBy', (): tree.OrderTerm[] => {
    const order: tree.OrderTerm[] = []
    this.CONSUME(keyword('ORDER'))
    this.CONSUME(keyword('BY'))
    this.AT_LEAST_ONE_SEP({
      SEP: t.Comma,
      DEF: () => {
        const value = this.SUBRULE(this.expression)
        const direction = this.OPTION(() =>
          this.OR([
            { ALT: () => this.CONSUME(keyword('ASC')) },
            { ALT: () => this.CONSUME(keyword('DESC')) },
          ]),
        )
        const nulls = this.OPTION2(() => {
          this.CONSUME(keyword('NULLS'))
          return this.OR2([
            { ALT: () => this.CONSUME(keyword('FIRST')) },
            { ALT: () => this.CONSUME(keyword('LAST')) },
          ])
        })
        this.ACTION(() =>
          order.push({
            value,
            isDescending: direction?.image.toUpperCase() === 'DESC',
            nulls: nulls?.image.toUpperCase() as 'FIRST' | 'LAST' | undefined,
          }),
        )
      },
    })
    return order
  })

  private arm = this.RULE('arm', (joinedBy: tree.SelectArm['joinedBy']): tree.SelectArm => {
    const first = this.CONSUME(keyword('SELECT'))
    const word = this.OPTION(() =>
      this.OR([
        { ALT: () => this.CONSUME(keyword('DISTINCT')) },
        { ALT: () => this.CONSUME(keyword('ALL')) },
      ]),
    )
    const items: tree.SelectItem[] = []
    this.AT_LEAST_ONE_SEP({
      SEP: t.Comma,
      DEF: () => {
        items.push(this.SUBRULE(this.item))
      },
    })
    const from = this.OPTION2(() => this.SUBRULE(this.fromClause)) ?? []
    const where = this.OPTION3(() => {
      this.CONSUME(keyword('WHERE'))
      return this.SUBRULE(this.expression)
    })
    const group = this.OPTION4(() => {
      this.CONSUME(keyword('GROUP'))
      this.CONSUME(keyword('BY'))
      return this.SUBRULE(this.list)
    })
    const having = this.OPTION5(() => {
      this.CONSUME(keyword('HAVING'))
      return this.SUBRULE2(this.expression)
    })
    return this.ACTION(() => ({
      joinedBy,
      isDistinct: word?.image.toUpperCase() === 'DISTINCT',
      items,
      from,
      where,
      group: group ?? [],
      having,
      span: this.spanFrom(first),
    }))
  })

  #enterQuery(first: IToken): void {
    this.#queries += 1
    if (this.#queries <= QUERY_NESTING_MAX) return
    const most = `Queries are nested deeper than ${QUERY_NESTING_MAX} levels`
    this.builder.fail(`${most}. Use WITH`, spanOf(first))
  }

  #needEquals(sign: IToken): void {
    if (sign.image === '=') return
    this.builder.fail(`Unexpected "${sign.image}": expected "="`, spanOf(sign))
  }
}

function depthOf({
  tables,
  arms,
  order,
  limit,
  offset,
}: Omit<tree.Query, 'isRecursive' | 'span' | 'depth'>) {
  const parts: ({ readonly depth: number } | undefined)[] = [limit, offset]
  for (const { query } of tables) parts.push(query)
  for (const { value } of order) parts.push(value)
  for (const { items, from, where, group, having } of arms) {
    for (const item of items) if (item.kind === 'value') parts.push(item.value)
    for (const { table, on } of from) {
      parts.push(on)
      if (table.kind === 'query') parts.push(table.query)
      else if (table.kind !== 'named') parts.push(table.text)
      else parts.push(...settingValues(table.settings))
    }
    parts.push(where, ...group, having)
  }
  let depth = 1
  for (const part of parts) depth = Math.max(depth, (part?.depth ?? 0) + 1)
  return depth
}

function settingValues(settings: tree.SampleSettings | undefined) {
  return [...(settings?.settings ?? []), ...(settings?.range ?? [])].map(({ value }) => value)
}
