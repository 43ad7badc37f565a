/** The grammar of expressions with what SQL adds to it: columns, aggregates and subqueries. */
import { type IToken, type ParserMethod, tokenMatcher } from 'chevrotain'
import { type Expression, loadSyntax, type Span } from '../../expression/index.ts'
import { SqlSampleGrammar, sqlNameOfToken } from './sql-sample-grammar.ts'
import { keyword } from './sql-tokens.ts'
import type { Query, SampleSettings, SqlName, SqlPart } from './sql-tree.ts'
import { AGGREGATES } from './sql-words.ts'

const { between, spanOf, textOf, tokens: t } = loadSyntax()

/** Reads the expressions of SQL; the subclass defines queries. */
export abstract class SqlExpressionGrammar extends SqlSampleGrammar {
  /** Offsets of columns that are known to be conditions, from an earlier reading of the text. */
  protected conditions: ReadonlySet<number> = new Set()

  protected abstract readonly query: ParserMethod<[], Query>

  protected override candidates = this.OVERRIDE_RULE('candidates', (): Expression[] =>
    this.OR([
      { ALT: () => this.rowsOf(this.SUBRULE(this.query)) },
      { ALT: () => this.SUBRULE(this.list) },
    ]),
  )

  protected override primary = this.OVERRIDE_RULE(
    'primary',
    (): Expression =>
      this.OR([
        { ALT: () => this.SUBRULE(this.plain) },
        { ALT: () => this.SUBRULE(this.named) },
        { ALT: () => this.SUBRULE(this.caseOf) },
        { ALT: () => this.SUBRULE(this.cast) },
        { ALT: () => this.SUBRULE(this.existence) },
        {
          ALT: () => {
            const first = this.CONSUME(t.LeftParenthesis)
            const inner = this.OR2([
              { ALT: () => ({ query: this.SUBRULE(this.query) }) },
              { ALT: () => ({ node: this.SUBRULE(this.expression) }) },
            ])
            const last = this.CONSUME(t.RightParenthesis)
            return this.ACTION((): Expression => {
              if ('node' in inner) return inner.node
              return this.part({ is: 'query', query: inner.query }, between(first, last), [
                inner.query,
              ])
            })
          },
        },
      ]),
  )

  private existence = this.RULE('existence', (): Expression => {
    const first = this.CONSUME(keyword('EXISTS'))
    this.CONSUME(t.LeftParenthesis)
    const query = this.SUBRULE(this.query)
    const last = this.CONSUME(t.RightParenthesis)
    return this.ACTION(() => this.part({ is: 'exists', query }, between(first, last), [query]))
  })

  /** A function with its arguments, a column, a variable, or a text in double quotes. */
  protected override named = this.OVERRIDE_RULE('named', (): Expression => {
    const first = this.OR([
      { ALT: () => this.CONSUME(t.Name) },
      { ALT: () => this.CONSUME(t.QuotedName) },
    ])
    return this.OR2([
      {
        GATE: () => this.LA(0).image.toUpperCase() === 'SAMPLE',
        IGNORE_AMBIGUITIES: true,
        ALT: () => {
          const settings = this.SUBRULE(this.sampleSettings)
          return this.ACTION(() => this.#samplePart(first, settings))
        },
      },
      { ALT: () => this.SUBRULE(this.callOf, { ARGS: [first] }) },
      {
        ALT: () => {
          this.CONSUME(t.Dot)
          const last = this.OR3([
            { ALT: () => this.CONSUME2(t.Name) },
            { ALT: () => this.CONSUME2(t.QuotedName) },
          ])
          return this.ACTION(() => this.column(sqlNameOfToken(first), last, between(first, last)))
        },
      },
      { ALT: () => this.ACTION(() => this.column(undefined, first, spanOf(first))) },
    ])
  })

  private callOf = this.RULE('callOf', (first: IToken): Expression => {
    this.CONSUME(t.LeftParenthesis)
    const inside = this.OR([
      {
        ALT: () => {
          this.CONSUME(t.Star)
          return { isStar: true, isDistinct: false, args: [] }
        },
      },
      {
        ALT: () => {
          this.CONSUME(keyword('DISTINCT'))
          return { isStar: false, isDistinct: true, args: this.SUBRULE(this.list) }
        },
      },
      {
        ALT: () => {
          const args = this.OPTION(() => this.SUBRULE2(this.list)) ?? []
          return { isStar: false, isDistinct: false, args }
        },
      },
    ])
    const last = this.CONSUME(t.RightParenthesis)
    return this.ACTION(() => this.callNode(first, inside, between(first, last)))
  })

  private callNode(
    token: IToken,
    { isStar, isDistinct, args }: { isStar: boolean; isDistinct: boolean; args: Expression[] },
    span: Span,
  ): Expression {
    const name = token.image.toLowerCase()
    const most = AGGREGATES.get(name)
    const isCount = name === 'count'
    const isAggregate = most !== undefined && (isCount || (args.length >= 1 && args.length <= most))
    if (isStar && !isCount) this.builder.fail('Only count accepts "*". Name a column', span)
    if (isDistinct && !isAggregate) {
      this.builder.fail(`${token.image}() does not accept DISTINCT. Remove it`, span)
    }
    if (isCount && !isStar && args.length !== 1) {
      this.builder.fail('count() takes one argument. Write count(*) or count(x)', span)
    }
    if (isAggregate) return this.part({ is: 'aggregate', name, isDistinct, args }, span, args)
    if (name === 'now' && args.length === 0) return this.part({ is: 'now' }, span)
    if (name === 'label') return this.#labelPart(args, span)
    return this.call(token, args, span)
  }

  #labelPart(args: readonly Expression[], span: Span): Expression {
    const [named] = args
    if (args.length === 1 && named.kind === 'literal' && typeof named.value === 'string') {
      return this.part({ is: 'label', name: named.value }, span)
    }
    const problem = "label() takes the name of a label as a text. Write label('site')"
    return this.builder.fail(problem, span)
  }

  #samplePart(token: IToken, settings: SampleSettings): Expression {
    const span = { from: spanOf(token).from, until: settings.span.until }
    const values = [...settings.settings, ...(settings.range ?? [])].map(({ value }) => value)
    return this.part({ is: 'sample', settings }, span, values)
  }

  private column(table: SqlName | undefined, token: IToken, span: Span): Expression {
    const name = sqlNameOfToken(token)
    const isQuoted = tokenMatcher(token, t.QuotedName)
    if (table === undefined && !isQuoted && name.text.startsWith('@')) {
      return this.builder.node({ kind: 'variable', name: name.text, span })
    }
    return this.part({ is: 'column', table, name, isQuoted }, span)
  }

  private rowsOf(query: Query): Expression[] {
    return this.ACTION(() => [this.part({ is: 'rows', query }, query.span, [query])])
  }

  private part(
    part: SqlPart,
    span: Span,
    children: readonly { readonly depth: number }[] = [],
  ): Expression {
    const isKnown = part.is === 'column' && this.conditions.has(span.from)
    const isCondition = part.is === 'exists' || isKnown
    return this.builder.node({ kind: 'foreign', part, isCondition, span }, children)
  }

  /** A text as a token that must be one. */
  protected textName(token: IToken): SqlName {
    return { text: textOf(token), span: spanOf(token) }
  }
}
