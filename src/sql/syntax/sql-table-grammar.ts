/** What stands between SELECT and WHERE: values with names, tables and how they are joined. */
import { type IToken, tokenMatcher } from 'chevrotain'
import { type CastType, castTypeOf, loadSyntax, type Span } from '../../expression/index.ts'
import { SqlExpressionGrammar } from './sql-expression-grammar.ts'
import { sqlNameOfToken } from './sql-sample-grammar.ts'
import { keyword } from './sql-tokens.ts'
import type * as tree from './sql-tree.ts'

const { spanOf, tokens: t } = loadSyntax()

interface CsvOptions {
  delimiter: tree.SqlName | undefined
  hasHeader: boolean
}

type CsvColumn = tree.CsvTable['columns'][number]
type JsonColumn = tree.JsonTable['columns'][number]

/** Reads the items and tables of a SELECT. */
export abstract class SqlTableGrammar extends SqlExpressionGrammar {
  protected sqlName = this.RULE('sqlName', (): tree.SqlName => {
    const token = this.OR([
      { ALT: () => this.CONSUME(t.Name) },
      { ALT: () => this.CONSUME(t.QuotedName) },
    ])
    return this.ACTION(() => sqlNameOfToken(token))
  })

  protected names = this.RULE('names', (): tree.SqlName[] => {
    const names: tree.SqlName[] = []
    this.AT_LEAST_ONE_SEP({
      SEP: t.Comma,
      DEF: () => {
        names.push(this.SUBRULE(this.sqlName))
      },
    })
    return names
  })

  protected item = this.RULE('item', (): tree.SelectItem => {
    const first = this.LA(1)
    return this.OR({
      MAX_LOOKAHEAD: 1,
      DEF: [
        {
          ALT: () => {
            const star = this.CONSUME(t.Star)
            return this.ACTION(() => ({ kind: 'all', table: undefined, span: spanOf(star) }))
          },
        },
        {
          GATE: () => tokenMatcher(this.LA(2), t.Dot) && tokenMatcher(this.LA(3), t.Star),
          IGNORE_AMBIGUITIES: true,
          ALT: () => {
            const table = this.SUBRULE(this.sqlName)
            this.CONSUME(t.Dot)
            this.CONSUME2(t.Star)
            return this.ACTION(() => ({ kind: 'all', table, span: this.spanFrom(first) }))
          },
        },
        {
          ALT: () => {
            const value = this.SUBRULE(this.expression)
            const before = this.LA(0)
            const alias = this.SUBRULE(this.aliasOf)
            return this.ACTION(() => {
              if (alias !== undefined) this.#refuseAlias(before, alias)
              // An expression begins and ends within its parentheses; what is written does not.
              const span = { from: spanOf(first).from, until: spanOf(before).until }
              return { kind: 'value', value, alias, span }
            })
          },
        },
      ],
    }) as tree.SelectItem
  })

  private aliasOf = this.RULE('aliasOf', (): tree.SqlName | undefined =>
    this.OR([
      {
        ALT: () => {
          this.CONSUME(t.As)
          return this.SUBRULE(this.sqlName)
        },
      },
      { GATE: () => this.#isAlias(), ALT: () => this.SUBRULE2(this.sqlName) },
      { ALT: () => undefined },
    ]),
  )

  /** What people mean as a numeral or a test is no name of a value. */
  #refuseAlias(before: IToken, { text, span }: tree.SqlName): void {
    const { from, until } = spanOf(before)
    if (tokenMatcher(before, t.Numeral) && until === span.from) {
      const problem = 'This is not a number. Write digits, optionally with "." and an exponent'
      this.builder.fail(`${problem}. Put a space before a name`, { from, until: span.until })
    }
    const test = { ISNULL: 'IS NULL', NOTNULL: 'IS NOT NULL' }[text.toUpperCase()]
    const isBare = span.until - span.from === text.length && this.LA(-1) === before
    if (test !== undefined && isBare) this.builder.fail(`Write ${test} instead`, span)
  }

  /** A word that joins or starts an option is no alias. */
  #isAlias(): boolean {
    const word = this.LA(1).image.toUpperCase()
    if (word === 'HEADER') return false
    if (word === 'DELIMITER') return !tokenMatcher(this.LA(2), t.Text)
    if (word === 'SAMPLE') return !tokenMatcher(this.LA(2), t.LeftParenthesis)
    if (!['LEFT', 'RIGHT', 'FULL'].includes(word)) return true
    return !['JOIN', 'OUTER'].includes(this.LA(2).image.toUpperCase())
  }

  protected fromClause = this.RULE('fromClause', (): tree.FromItem[] => {
    const items: tree.FromItem[] = []
    this.CONSUME(keyword('FROM'))
    const table = this.SUBRULE(this.tableItem)
    this.ACTION(() => items.push({ join: 'INNER', table, on: undefined, using: undefined }))
    this.MANY(() => {
      const item = this.OR([
        {
          ALT: () => {
            this.CONSUME(t.Comma)
            const next = this.SUBRULE2(this.tableItem)
            return this.ACTION(
              (): tree.FromItem => ({
                join: 'INNER',
                table: next,
                on: undefined,
                using: undefined,
              }),
            )
          },
        },
        { ALT: () => this.SUBRULE(this.joinClause) },
      ])
      this.ACTION(() => items.push(item))
    })
    return items
  })

  private joinClause = this.RULE('joinClause', (): tree.FromItem => {
    const kind = this.OPTION(() =>
      this.OR([
        { ALT: () => this.CONSUME(keyword('INNER')) },
        { ALT: () => this.CONSUME(keyword('CROSS')) },
        {
          ALT: () => {
            const side = this.OR2([
              { ALT: () => this.CONSUME(keyword('LEFT')) },
              { ALT: () => this.CONSUME(keyword('RIGHT')) },
              { ALT: () => this.CONSUME(keyword('FULL')) },
            ])
            this.OPTION2(() => this.CONSUME(keyword('OUTER')))
            return side
          },
        },
      ]),
    )
    this.CONSUME(keyword('JOIN'))
    const table = this.SUBRULE(this.tableItem)
    const condition = this.OPTION3(() => this.SUBRULE(this.joinOn))
    return this.ACTION(() => {
      const join = (kind?.image.toUpperCase() ?? 'INNER') as tree.FromItem['join']
      const { on, using } = condition ?? { on: undefined, using: undefined }
      return { join, table, on, using }
    })
  })

  private joinOn = this.RULE(
    'joinOn',
    (): Pick<tree.FromItem, 'on' | 'using'> =>
      this.OR([
        {
          ALT: () => {
            this.CONSUME(keyword('ON'))
            return { on: this.SUBRULE(this.expression), using: undefined }
          },
        },
        {
          ALT: () => {
            this.CONSUME(keyword('USING'))
            this.CONSUME(t.LeftParenthesis)
            const using = this.SUBRULE(this.names)
            this.CONSUME(t.RightParenthesis)
            return { on: undefined, using }
          },
        },
      ]),
  )

  private tableItem = this.RULE('tableItem', (): tree.TableItem => {
    const first = this.LA(1)
    const table = this.OR([
      {
        ALT: () => {
          this.CONSUME(t.LeftParenthesis)
          const query = this.SUBRULE(this.query)
          this.CONSUME(t.RightParenthesis)
          return this.ACTION(() => ({ kind: 'query' as const, query }))
        },
      },
      { ALT: () => this.SUBRULE(this.jsonTable) },
      { ALT: () => this.SUBRULE(this.csvTable) },
      { ALT: () => this.SUBRULE(this.namedTable) },
    ])
    const span = this.ACTION(() => this.spanFrom(first))
    const alias = this.SUBRULE(this.aliasOf)
    return this.ACTION(() => {
      this.builder.count(span)
      return { ...table, alias, span } as tree.TableItem
    })
  })

  /** A table by its name, perhaps with what is read of its samples: SAMPLE(…), or STREAM SAMPLE(…). */
  private namedTable = this.RULE('namedTable', (): Omit<tree.NamedTable, 'alias' | 'span'> => {
    const name = this.SUBRULE(this.sqlName)
    this.OPTION({
      GATE: () =>
        this.LA(1).image.toUpperCase() === 'SAMPLE' && tokenMatcher(this.LA(2), t.LeftParenthesis),
      DEF: () => this.CONSUME(t.Name),
    })
    const settings = this.OPTION2({
      GATE: () => /^(?:SAMPLE|STREAM)$/i.test(this.LA(0).image),
      DEF: () => this.SUBRULE(this.sampleSettings),
    })
    return this.ACTION(() => ({ kind: 'named' as const, name, settings }))
  })

  private jsonTable = this.RULE('jsonTable', (): Omit<tree.JsonTable, 'alias' | 'span'> => {
    const columns: JsonColumn[] = []
    this.CONSUME(keyword('JSON_TABLE'))
    this.CONSUME(t.LeftParenthesis)
    const text = this.SUBRULE(this.expression)
    this.CONSUME(t.RightParenthesis)
    this.CONSUME(keyword('WITH'))
    this.CONSUME2(t.LeftParenthesis)
    this.AT_LEAST_ONE_SEP({
      SEP: t.Comma,
      DEF: () => {
        const name = this.SUBRULE(this.sqlName)
        const type = this.SUBRULE(this.typeName)
        const path = this.OR([
          { ALT: () => this.CONSUME(t.Text) },
          { ALT: () => this.CONSUME(t.QuotedName) },
        ])
        this.ACTION(() => {
          this.builder.count(name.span)
          columns.push({ name, type, path: this.textName(path) })
        })
      },
    })
    this.CONSUME2(t.RightParenthesis)
    return { kind: 'json', text, columns }
  })

  private csvTable = this.RULE('csvTable', (): Omit<tree.CsvTable, 'alias' | 'span'> => {
    const columns: CsvColumn[] = []
    const options: CsvOptions = { delimiter: undefined, hasHeader: false }
    this.CONSUME(keyword('CSV_TABLE'))
    this.CONSUME(t.LeftParenthesis)
    const text = this.SUBRULE(this.expression)
    this.SUBRULE(this.csvOptions, { ARGS: [options] })
    this.CONSUME(t.RightParenthesis)
    this.SUBRULE2(this.csvOptions, { ARGS: [options] })
    this.CONSUME(keyword('WITH'))
    this.CONSUME2(t.LeftParenthesis)
    this.AT_LEAST_ONE_SEP({
      SEP: t.Comma,
      DEF: () => {
        const numeral = this.CONSUME(t.Numeral)
        const name = this.SUBRULE(this.sqlName)
        const type = this.SUBRULE(this.typeName)
        this.ACTION(() => {
          this.builder.count(name.span)
          columns.push({ name, type, position: this.#positionOf(numeral) })
        })
      },
    })
    this.CONSUME2(t.RightParenthesis)
    this.SUBRULE3(this.csvOptions, { ARGS: [options] })
    return this.ACTION(() => ({ kind: 'csv', text, columns, ...options }))
  })

  private csvOptions = this.RULE('csvOptions', (options: CsvOptions): void => {
    this.MANY(() =>
      this.OR([
        {
          ALT: () => {
            const word = this.CONSUME(keyword('DELIMITER'))
            const token = this.CONSUME(t.Text)
            this.ACTION(() => {
              if (options.delimiter !== undefined) this.#failTwice(word)
              options.delimiter = this.textName(token)
            })
          },
        },
        {
          ALT: () => {
            const word = this.CONSUME(keyword('HEADER'))
            this.ACTION(() => {
              if (options.hasHeader) this.#failTwice(word)
              options.hasHeader = true
            })
          },
        },
      ]),
    )
  })

  #failTwice(word: IToken): void {
    this.builder.fail(`${word.image.toUpperCase()} is given twice. Remove one`, spanOf(word))
  }

  #positionOf(numeral: IToken): number {
    const position = Number(numeral.image)
    if (Number.isSafeInteger(position) && position >= 1 && position <= POSITION_MAX) return position
    const problem = `A position must be an integer from 1 to ${POSITION_MAX}`
    return this.builder.fail(problem, spanOf(numeral))
  }

  private typeName = this.RULE('typeName', (): CastType => {
    const token = this.CONSUME(t.Name)
    return this.ACTION(() => {
      const type = castTypeOf(token.image)
      if (type !== undefined) return type
      const types = 'LONG, DOUBLE, BIGDECIMAL, STRING, BOOLEAN, or DATETIME'
      const name = token.image.slice(0, 40)
      return this.builder.fail(`Unknown type ${name}. Use ${types}`, spanOf(token))
    })
  })

  /** The stretch from a token to the last that was read. */
  protected spanFrom(first: IToken): Span {
    return { from: spanOf(first).from, until: spanOf(this.LA(0)).until }
  }
}

/** Columns beyond this have no use. */
const POSITION_MAX = 10_000
