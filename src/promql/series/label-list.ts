import type { SeriesLabels } from '../source.ts'

/** Labels that describe the metric itself. An operation that changes its meaning removes them. */
const metadataLabels = new Set(['__name__', '__type__', '__unit__'])

/** The value of a label; empty when there is none. */
export function labelValue(labels: SeriesLabels, name: string): string {
  for (let at = 0; at < labels.length; at += 2) if (labels[at] === name) return labels[at + 1]
  return ''
}

/** A text that only equal labels share. */
export function labelsKey(labels: SeriesLabels): string {
  return labels.join('\uffff')
}

function filterLabels(labels: SeriesLabels, keeps: (name: string) => boolean): SeriesLabels {
  const kept: string[] = []
  for (let at = 0; at < labels.length; at += 2) {
    if (keeps(labels[at])) kept.push(labels[at], labels[at + 1])
  }
  return kept.length === labels.length ? labels : kept
}

/** Labels of a result that is no longer the metric itself. */
export function dropMetadata(labels: SeriesLabels): SeriesLabels {
  return filterLabels(labels, (name) => !metadataLabels.has(name))
}

export function keepLabels(labels: SeriesLabels, names: ReadonlySet<string>): SeriesLabels {
  return filterLabels(labels, (name) => names.has(name))
}

export function removeLabels(labels: SeriesLabels, names: ReadonlySet<string>): SeriesLabels {
  return filterLabels(labels, (name) => !names.has(name))
}

/** Labels with one label set; an empty value removes it. */
export function setLabel(labels: SeriesLabels, name: string, value: string): SeriesLabels {
  const changed: string[] = []
  let isSet = value === ''
  for (let at = 0; at < labels.length; at += 2) {
    const other = labels[at]
    if (other === name) continue
    if (!isSet && compareTexts(other, name) > 0) {
      changed.push(name, value)
      isSet = true
    }
    changed.push(other, labels[at + 1])
  }
  if (!isSet) changed.push(name, value)
  return changed
}

/** Compares by Unicode code points, which is the order of UTF-8 bytes. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at)
    const right = b.charCodeAt(at)
    if (left === right) continue
    // Surrogates stand for code points above all other UTF-16 units.
    const isHighLeft = left >= 0xd800 && left < 0xe000
    const isHighRight = right >= 0xd800 && right < 0xe000
    if (isHighLeft !== isHighRight) return isHighLeft ? 1 : -1
    return left - right
  }
  return a.length - b.length
}

/** The order of series in answers. */
export function compareLabels(a: SeriesLabels, b: SeriesLabels): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const order = compareTexts(a[at], b[at])
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** Elements in the order of their labels. */
export function sortByLabels<T extends { readonly labels: SeriesLabels }>(
  elements: readonly T[],
): T[] {
  const keyed = elements.map((element) => ({ element, key: element.labels.join('\0') }))
  // Comparing whole texts is faster, and right as long as no character needs two UTF-16 units.
  const isPlain = !keyed.some(({ key }) => /[\ud800-\udfff]/.test(key))
  keyed.sort((a, b) => {
    if (!isPlain) return compareLabels(a.element.labels, b.element.labels)
    return a.key < b.key ? -1 : a.key > b.key ? 1 : 0
  })
  return keyed.map(({ element }) => element)
}

/** Labels as Prometheus writes them in messages. */
export function formatLabels(labels: SeriesLabels): string {
  const parts: string[] = []
  for (let at = 0; at < labels.length; at += 2) {
    const name = /^[A-Za-z_][A-Za-z0-9_]*$/.test(labels[at])
      ? labels[at]
      : JSON.stringify(labels[at])
    parts.push(`${name}=${JSON.stringify(labels[at + 1])}`)
  }
  return `{${parts.join(', ')}}`
}
