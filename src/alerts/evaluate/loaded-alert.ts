import { expressionTypeOf, VALUE_CODE, VALUE_TYPES } from '../../catalog/shape/index.ts'
import { ExpressionError, type ExpressionType, type RangeJudge } from '../../expression/index.ts'
import { compiledCycle } from '../../feed/statistic/index.ts'
import type { Cycle, CycleDefinition } from '../../time/index.ts'
import { type Condition, readCondition } from '../condition/read-condition.ts'
import type { Alert } from '../record/alert-shape.ts'
import type { StoredMute } from '../state/state-documents.ts'

/** The conditions of an alert for values of one type in one zone. */
export interface AlertConditions {
  /** Undefined where the alert watches silence only. */
  readonly condition: Condition | undefined
  readonly clear: Condition | undefined
}

/** What the conditions of an alert give for values of a range. */
interface RangeJudges {
  readonly holds: RangeJudge
  readonly clears: RangeJudge
}

/** What an alert refers to, as it was when the alert was loaded. */
export interface AlertContext {
  readonly mute: StoredMute | undefined
  /** The definitions of cycles that conditions name, by ID. */
  readonly cycles: ReadonlyMap<string, CycleDefinition>
  readonly activeCycle: CycleDefinition | undefined
  /** The ID of its template; blank without one. */
  readonly templateId: string
  /** Why the alert cannot be evaluated; blank where it can. */
  readonly problem: string
}

/** An alert that is evaluated: its record, and what it refers to, ready to be used. */
export class LoadedAlert {
  /** Its number in this process. */
  readonly ref: number
  /** One more whenever it is loaded again. */
  readonly version: number
  readonly alert: Alert
  readonly context: AlertContext
  readonly #conditions = new Map<string, AlertConditions>()
  /** By type of value. */
  readonly #judges: (RangeJudges | undefined)[] = []
  readonly #fits: (boolean | undefined)[] = []

  constructor(alert: Alert, context: AlertContext, id: { ref: number; version: number }) {
    this.alert = alert
    this.context = context
    this.ref = id.ref
    this.version = id.version
  }

  /** Whether it is evaluated at all. */
  get isActive(): boolean {
    return this.alert.enabled && this.context.problem === ''
  }

  /** Whether it watches streams of a template or with labels, which come and go. */
  get isDynamic(): boolean {
    return this.alert.streams.length === 0
  }

  /** Whether it can watch streams of a type: those that its conditions can read. */
  fitsType(valueCode: number): boolean {
    this.#fits[valueCode] ??= this.#tryFit(valueCode)
    return this.#fits[valueCode]
  }

  #tryFit(valueCode: number): boolean {
    if (this.alert.condition.trim() === '') return true
    if (valueCode === VALUE_CODE.FILE) return false
    try {
      this.conditionsFor(expressionTypeOf(VALUE_TYPES[valueCode]), 'UTC')
      return true
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      return false
    }
  }

  /** Whether it selects the streams that an earlier version of it selected. */
  selectsAs(before: LoadedAlert): boolean {
    return this.#selection === before.#selection
  }

  get #selection(): string {
    const { alert, context } = this
    const { streams, streamId, labels } = alert
    const { templateId } = context
    const fits = VALUE_TYPES.map((_, valueCode) => this.fitsType(valueCode))
    return JSON.stringify([this.isActive, fits, streams, templateId, streamId, labels])
  }

  isMuted(nowMs: number): boolean {
    const { mute } = this.context
    return mute !== undefined && (mute.untilMs === null || mute.untilMs > nowMs)
  }

  /** The conditions for values of a type; one that does not fit the type throws ExpressionError. */
  conditionsFor(value: ExpressionType, timeZoneId: string): AlertConditions {
    const key = `${value} ${timeZoneId}`
    const known = this.#conditions.get(key)
    if (known !== undefined) return known
    const read = (text: string) =>
      text.trim() === '' ? undefined : readCondition(text, { value, timeZoneId })
    const { condition, clearCondition } = this.alert
    const conditions = { condition: read(condition), clear: read(clearCondition) }
    this.#conditions.set(key, conditions)
    return conditions
  }

  /** What the conditions give for ranges of values of a type: nothing where they read more than values. */
  judgesFor(valueCode: number): RangeJudges {
    this.#judges[valueCode] ??= this.#readJudges(expressionTypeOf(VALUE_TYPES[valueCode]))
    return this.#judges[valueCode]
  }

  #readJudges(type: ExpressionType): RangeJudges {
    const unknown: RangeJudge = () => undefined
    try {
      const { condition, clear } = this.conditionsFor(type, 'UTC')
      return {
        holds: condition === undefined ? () => 0 : (condition.judgeRange ?? unknown),
        clears: clear === undefined ? () => 1 : (clear.judgeRange ?? unknown),
      }
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      return { holds: unknown, clears: unknown }
    }
  }

  /** The active times in a component's zone; undefined: always. */
  activeTimesIn(timeZone: string): Cycle | undefined {
    const { activeCycle } = this.context
    return activeCycle === undefined ? undefined : compiledCycle(activeCycle, timeZone)
  }

  /** A cycle that a condition names, in a component's zone. */
  cycleIn(cycleId: string, timeZone: string): Cycle | undefined {
    const definition = this.context.cycles.get(cycleId)
    return definition === undefined ? undefined : compiledCycle(definition, timeZone)
  }
}
