import { type Evaluation, executionError } from '../evaluate/evaluation.ts'
import { PROMQL_LABEL_CHARS_MAX } from '../promql-limits.ts'
import { labelValue, setLabel } from '../series/label-list.ts'
import { type StepSeries, StepTable } from '../series/step-series.ts'
import type { CompilePattern, TextPattern } from '../source.ts'

/** Whether a text can be the name of a label. Bytes that are not UTF-8 were replaced by U+FFFD. */
function isLabelName(text: string): boolean {
  return text !== '' && !text.includes('\ufffd')
}

/** How many characters of labels count as one sample in memory. */
const CHARS_PER_SAMPLE = 4

/** Sets one label of each series, and counts the memory of all labels. Where there is no value, the series stays. */
function relabel(
  { memory }: Evaluation,
  series: readonly StepSeries[],
  target: string,
  textOf: (one: StepSeries) => string | undefined,
): StepSeries[] {
  const table = new StepTable()
  for (const one of series) {
    const value = textOf(one)
    const labels = value === undefined ? one.labels : setLabel(one.labels, target, value)
    const chars = labels.reduce((sum, text) => sum + text.length, 0)
    memory.hold(Math.ceil(chars / CHARS_PER_SAMPLE))
    table.add({ ...one, labels })
  }
  return table.rows()
}

/** `label_replace` with its texts: destination, replacement, source, and pattern. */
export function replaceLabels(
  evaluation: Evaluation,
  series: readonly StepSeries[],
  texts: readonly string[],
): StepSeries[] {
  const [target, replacement, source, expression] = texts
  const pattern = compileOrRefuse(expression, evaluation.compilePattern)
  if (!isLabelName(target)) {
    throw executionError(`invalid destination label name in label_replace(): ${target}`)
  }
  const template = readTemplate(replacement, pattern.groupNames)
  return relabel(evaluation, series, target, (one) => {
    const groups = pattern.groups(labelValue(one.labels, source))
    if (groups === undefined) return undefined
    return joinBounded(
      template.map((part) => (typeof part === 'number' ? (groups[part] ?? '') : part)),
      '',
    )
  })
}

function compileOrRefuse(expression: string, compilePattern: CompilePattern): TextPattern {
  try {
    return compilePattern(expression)
  } catch {
    throw executionError(`invalid regular expression in label_replace(): ${expression}`)
  }
}

/**
 * The parts of a replacement: texts, and numbers of groups in the place of `$1`, `${1}`, `$name`, and `${name}`.
 * `$$` is a dollar sign.
 */
function readTemplate(template: string, names: readonly string[]): Array<string | number> {
  const parts: Array<string | number> = []
  let done = 0
  for (const found of template.matchAll(/\$(?:(\$)|(\w+)|\{(\w+)\})/g)) {
    parts.push(template.slice(done, found.index))
    done = found.index + found[0].length
    const name = found[2] ?? found[3]
    if (name === undefined) parts.push('$')
    else parts.push(/^[0-9]+$/.test(name) ? Number(name) : names.indexOf(name))
  }
  parts.push(template.slice(done))
  return parts
}

/** The texts as one, whose length is checked before it is made: nested calls can double it each time. */
function joinBounded(texts: readonly string[], separator: string): string {
  let length = separator.length * (texts.length - 1)
  for (const text of texts) length += text.length
  if (length > PROMQL_LABEL_CHARS_MAX) {
    throw executionError(`a label value would have more than ${PROMQL_LABEL_CHARS_MAX} characters`)
  }
  return texts.join(separator)
}

/** `label_join` with its texts: destination, separator, and sources. */
export function joinLabels(
  evaluation: Evaluation,
  series: readonly StepSeries[],
  texts: readonly string[],
): StepSeries[] {
  const [target, separator, ...sources] = texts
  for (const source of sources) {
    if (!isLabelName(source)) {
      throw executionError(`invalid source label name in label_join(): ${source}`)
    }
  }
  if (!isLabelName(target)) {
    throw executionError(`invalid destination label name in label_join(): ${target}`)
  }
  return relabel(evaluation, series, target, (one) =>
    joinBounded(
      sources.map((source) => labelValue(one.labels, source)),
      separator,
    ),
  )
}
