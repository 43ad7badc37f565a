import { executionError } from '../evaluate/evaluation.ts'
import { labelValue, setLabel } from '../series/label-list.ts'
import { type StepSeries, StepTable } from '../series/step-series.ts'
import type { CompilePattern, TextPattern } from '../source.ts'

/** Whether a text can be the name of a label. Bytes that are not UTF-8 were replaced by U+FFFD. */
function isLabelName(text: string): boolean {
  return text !== '' && !text.includes('\ufffd')
}

function relabel(
  series: readonly StepSeries[],
  change: (one: StepSeries) => StepSeries,
): StepSeries[] {
  const table = new StepTable()
  for (const one of series) table.add(change(one))
  return table.rows()
}

/** `label_replace` with its texts: destination, replacement, source, and pattern. */
export function replaceLabels(
  series: readonly StepSeries[],
  texts: readonly string[],
  compilePattern: CompilePattern,
): StepSeries[] {
  const [target, replacement, source, expression] = texts
  const pattern = compileOrRefuse(expression, compilePattern)
  if (!isLabelName(target)) {
    throw executionError(`invalid destination label name in label_replace(): ${target}`)
  }
  return relabel(series, (one) => {
    const groups = pattern.groups(labelValue(one.labels, source))
    if (groups === undefined) return one
    const value = expandTemplate(replacement, groups, pattern.groupNames)
    return { ...one, labels: setLabel(one.labels, target, value) }
  })
}

function compileOrRefuse(expression: string, compilePattern: CompilePattern): TextPattern {
  try {
    return compilePattern(expression)
  } catch {
    throw executionError(`invalid regular expression in label_replace(): ${expression}`)
  }
}

/** Puts groups in the place of `$1`, `${1}`, `$name`, and `${name}`; `$$` is a dollar sign. */
function expandTemplate(
  template: string,
  groups: readonly (string | undefined)[],
  names: readonly string[],
): string {
  return template.replace(/\$(?:(\$)|(\w+)|\{(\w+)\})/g, (_, dollar, plain, braced) => {
    if (dollar !== undefined) return '$'
    const name: string = plain ?? braced
    const index = /^[0-9]+$/.test(name) ? Number(name) : names.indexOf(name)
    return groups[index] ?? ''
  })
}

/** `label_join` with its texts: destination, separator, and sources. */
export function joinLabels(series: readonly StepSeries[], texts: readonly string[]): StepSeries[] {
  const [target, separator, ...sources] = texts
  for (const source of sources) {
    if (!isLabelName(source)) {
      throw executionError(`invalid source label name in label_join(): ${source}`)
    }
  }
  if (!isLabelName(target)) {
    throw executionError(`invalid destination label name in label_join(): ${target}`)
  }
  return relabel(series, (one) => {
    const value = sources.map((source) => labelValue(one.labels, source)).join(separator)
    return { ...one, labels: setLabel(one.labels, target, value) }
  })
}
