import type { Labels } from '../../store/index.ts'
import type { LoadedAlert } from './loaded-alert.ts'

/** What of a stream alerts select it by. */
interface SelectableStream {
  /** The ID of the template that its component was made from; undefined: none. */
  readonly templateId: string | undefined
  readonly streamId: string
  readonly labels: Labels | undefined
}

/** Finds which alerts on templates and labels select a stream, without a look at the other alerts. */
export class SelectorIndex {
  /** By one of their labels. */
  readonly #byLabel = new Map<string, LoadedAlert[]>()
  readonly #byTemplate = new Map<string, LoadedAlert[]>()

  constructor(alerts: Iterable<LoadedAlert>) {
    for (const loaded of alerts) this.#add(loaded)
  }

  get hasLabels(): boolean {
    return this.#byLabel.size > 0
  }

  get hasTemplates(): boolean {
    return this.#byTemplate.size > 0
  }

  /** The alerts on a stream of a template, whatever the stream is called. */
  onTemplate(templateId: string): readonly LoadedAlert[] {
    return this.#byTemplate.get(templateId) ?? []
  }

  /** The alerts that select a stream. */
  selecting({ templateId, streamId, labels }: SelectableStream): LoadedAlert[] {
    const byTemplate = this.onTemplate(templateId ?? '').filter(
      ({ alert }) => alert.streamId === streamId,
    )
    return [...byTemplate, ...this.withLabels(labels)]
  }

  /** The alerts on labels that a stream has. */
  withLabels(labels: Labels | undefined): LoadedAlert[] {
    if (labels === undefined || !this.hasLabels) return []
    return Object.entries(labels).flatMap(([name, text]) =>
      (this.#byLabel.get(keyOf(name, text)) ?? []).filter(({ alert }) =>
        Object.entries(alert.labels).every(([wanted, value]) => labels[wanted] === value),
      ),
    )
  }

  #add(loaded: LoadedAlert): void {
    const { alert, context } = loaded
    if (alert.template !== null) {
      if (context.templateId !== '') add(this.#byTemplate, context.templateId, loaded)
      return
    }
    const [label] = Object.entries(alert.labels)
    if (label !== undefined) add(this.#byLabel, keyOf(...label), loaded)
  }
}

/** No label contains this character. */
function keyOf(name: string, text: string): string {
  return `${name}\u0000${text}`
}

function add(alerts: Map<string, LoadedAlert[]>, key: string, loaded: LoadedAlert): void {
  const known = alerts.get(key)
  if (known === undefined) alerts.set(key, [loaded])
  else known.push(loaded)
}
