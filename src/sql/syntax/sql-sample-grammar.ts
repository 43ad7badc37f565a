/** Sample(cycleId = 'day', stat = 'max', Range(sd = -7d, ed = now)): which samples of a stored table are read. */
import { type IToken, tokenMatcher } from 'chevrotain'
import { type Expression, loadSyntax } from '../../expression/index.ts'
import { sqlMessages } from './sql-messages.ts'
import { SQL_VOCABULARY } from './sql-tokens.ts'
import type { SampleSettings, SqlName, SqlPart } from './sql-tree.ts'

const { between, ExpressionGrammar, nameOfToken, spanOf, tokens: t } = loadSyntax()

/** Milliseconds of what a number stands before: 7d, 15m. */
const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

type Settings = SampleSettings['settings'][number][]

/** A token as a name. */
export function sqlNameOfToken(token: IToken): SqlName {
  return { text: nameOfToken(token), span: spanOf(token) }
}

/** Reads what stands in the parentheses behind Sample. */
export abstract class SqlSampleGrammar extends ExpressionGrammar {
  constructor() {
    super(SQL_VOCABULARY, sqlMessages)
  }

  protected sampleSettings = this.RULE('sampleSettings', (): SampleSettings => {
    const settings: Settings = []
    let range: Settings | undefined
    const first = this.CONSUME(t.LeftParenthesis)
    this.MANY_SEP({
      SEP: t.Comma,
      DEF: () =>
        this.OR({
          MAX_LOOKAHEAD: 1,
          DEF: [
            {
              GATE: () => tokenMatcher(this.LA(2), t.LeftParenthesis),
              IGNORE_AMBIGUITIES: true,
              ALT: () => {
                const name = this.CONSUME(t.Name)
                const inner = this.SUBRULE(this.rangeSettings)
                this.ACTION(() => {
                  this.#needRange(name, range !== undefined)
                  range = inner
                })
              },
            },
            { ALT: () => settings.push(this.SUBRULE(this.sampleSetting)) },
          ],
        }),
    })
    const last = this.CONSUME(t.RightParenthesis)
    return this.ACTION(() => ({ settings, range, span: between(first, last) }))
  })

  private rangeSettings = this.RULE('rangeSettings', (): Settings => {
    const settings: Settings = []
    this.CONSUME(t.LeftParenthesis)
    this.MANY_SEP({
      SEP: t.Comma,
      DEF: () => settings.push(this.SUBRULE(this.sampleSetting)),
    })
    this.CONSUME(t.RightParenthesis)
    return settings
  })

  private sampleSetting = this.RULE('sampleSetting', (): Settings[number] => {
    const token = this.CONSUME(t.Name)
    const sign = this.CONSUME(t.Comparison)
    const value = this.OR({
      MAX_LOOKAHEAD: 1,
      DEF: [
        {
          GATE: () => this.#isNow(),
          IGNORE_AMBIGUITIES: true,
          ALT: () => {
            const now = this.CONSUME2(t.Name)
            const steps: [IToken | undefined, IToken, IToken][] = []
            this.MANY(() => {
              const before = this.CONSUME(t.Prefix)
              steps.push([before, this.CONSUME(t.Numeral), this.CONSUME3(t.Name)])
            })
            return this.ACTION(() => this.#moment(now, steps))
          },
        },
        {
          GATE: () => this.#isDuration(),
          IGNORE_AMBIGUITIES: true,
          ALT: () => {
            const before = this.OPTION(() => this.CONSUME2(t.Prefix))
            const step = [before, this.CONSUME2(t.Numeral), this.CONSUME4(t.Name)] as const
            return this.ACTION(() => this.#moment(step[0] ?? step[1], [step]))
          },
        },
        { IGNORE_AMBIGUITIES: true, ALT: () => this.SUBRULE(this.expression) },
      ],
    })
    return this.ACTION(() => {
      if (sign.image !== '=') {
        this.builder.fail(`Unexpected "${sign.image}": expected "="`, spanOf(sign))
      }
      return { name: sqlNameOfToken(token), value }
    })
  })

  #isNow(): boolean {
    const isWord = this.LA(1).image.toLowerCase() === 'now' && tokenMatcher(this.LA(1), t.Name)
    return isWord && !tokenMatcher(this.LA(2), t.LeftParenthesis)
  }

  /** A number with a unit right behind it, perhaps with a sign. */
  #isDuration(): boolean {
    const at = /^[+-]$/.test(this.LA(1).image) ? 2 : 1
    return tokenMatcher(this.LA(at), t.Numeral) && tokenMatcher(this.LA(at + 1), t.Name)
  }

  /** The time of the call and steps from it, as the sum that it stands for. */
  #moment(
    first: IToken,
    steps: readonly (readonly [IToken | undefined, IToken, IToken])[],
  ): Expression {
    const now: SqlPart = { is: 'now' }
    const span = spanOf(first)
    let node = this.builder.node({ kind: 'foreign', part: now, isCondition: false, span })
    for (const [sign, numeral, unit] of steps) {
      const right = this.#step(numeral, unit)
      const operator = sign?.image === '-' ? '-' : '+'
      if (sign !== undefined && !/^[+-]$/.test(sign.image)) {
        this.builder.fail(`Unexpected "${sign.image}": expected "+" or "-"`, spanOf(sign))
      }
      const whole = between(first, unit)
      const sum = { kind: 'binary', operator, left: node, right, span: whole } as const
      node = this.builder.node(sum, [node, right])
    }
    return node
  }

  #step(numeral: IToken, unit: IToken): Expression {
    const span = between(numeral, unit)
    const ms = UNIT_MS[unit.image.toLowerCase()]
    const value = Number(numeral.image) * ms
    if (ms === undefined || !Number.isSafeInteger(value)) {
      const units = Object.keys(UNIT_MS).join(', ')
      this.builder.fail(`Expected an integer and a unit, as in 7d. Units: ${units}`, span)
    }
    return this.builder.node({ kind: 'literal', type: 'LONG', value, span })
  }

  #needRange(name: IToken, isThere: boolean): void {
    if (name.image.toUpperCase() !== 'RANGE') {
      this.builder.fail(`Unexpected "${name.image}": expected Range(…)`, spanOf(name))
    }
    if (isThere) this.builder.fail('Range is given twice. Remove one', spanOf(name))
  }
}
