import { Refusal } from '../../base/plain.ts'
import { compileDatePattern, formatDate, loadZone, readDate } from '../../time/index.ts'
import type { ExpressionType } from '../expression-types.ts'
import { type ExpressionFunction, parametersOf } from './function-entry.ts'
import { textOfValue } from './numbers.ts'
import type { Operation, Run, Term } from './operation.ts'
import { madeText } from './text-work.ts'

/** What a date costs beside its texts, in characters of other work. */
const DATE_CHARGE = 100

const formatOperation: Operation = {
  name: 'dtformatter',
  value: (run, ms, pattern, zone) => {
    run.charge(DATE_CHARGE)
    const write = () =>
      formatDate(compileDatePattern(textOfValue(pattern)), loadZone(textOfValue(zone)), Number(ms))
    return madeText(run, messagesOf(run, write))
  },
}

const readOperation: Operation = {
  name: 'toepochmillis',
  gives: 'LONG',
  value: (run, text, pattern, zone) => {
    run.charge(DATE_CHARGE)
    const read = () =>
      readDate(
        compileDatePattern(textOfValue(pattern)),
        loadZone(textOfValue(zone)),
        textOfValue(text),
      )
    return messagesOf(run, read)
  },
}

/** What the calendar refuses is the end of the evaluation, in the same words. */
function messagesOf<T>(run: Run, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Refusal) return run.fail(error.message)
    throw error
  }
}

/** Makes the call with the zone of the expression where none is given. */
function inZone(operation: Operation, type: ExpressionType, isText: boolean) {
  return {
    make: (args: readonly Term[], tools: Parameters<MakeTerm>[1]): Term => {
      const [subject, pattern, zone] = args
      const { span, timeZoneId } = tools
      const given: Term =
        zone === undefined
          ? { kind: 'constant', value: timeZoneId, type: 'STRING', span }
          : tools.text(zone)
      const first = isText ? tools.text(subject) : tools.double(subject)
      return { kind: 'apply', operation, args: [first, tools.text(pattern), given], type, span }
    },
  }
}

type MakeTerm = Extract<ExpressionFunction['making'], { make: unknown }>['make']

/** Functions of dates, which are LONGs in milliseconds since 1970. */
export const dateFunctions: readonly ExpressionFunction[] = [
  {
    name: 'dtFormatter',
    group: 'Dates',
    result: 'text',
    help: 'A date (epoch ms) as text by a pattern, on the clock of a time zone.',
    parameters: parametersOf('text', 'ms:number', 'pattern', 'zone?'),
    examples: [
      ["dtFormatter(1709622489045, 'yyyy-MM-dd HH:mm', 'Europe/Berlin')", '2024-03-05 08:08'],
    ],
    making: inZone(formatOperation, 'STRING', false),
    operations: [formatOperation],
  },
  {
    name: 'toEpochMillis',
    group: 'Dates',
    result: 'LONG',
    help: 'The date (epoch ms) that a text names by a pattern; fails on a text that does not fit.',
    parameters: parametersOf('text', 'text', 'pattern', 'zone?'),
    examples: [
      ["toEpochMillis('2024-03-05 08:08', 'yyyy-MM-dd HH:mm', 'Europe/Berlin')", 1_709_622_480_000],
    ],
    making: inZone(readOperation, 'LONG', true),
    operations: [readOperation],
  },
]
