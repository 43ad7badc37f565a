/** The labels that Prometheus gives to attributes of OpenTelemetry. */
import { findLabelMistake } from '../../catalog/index.ts'
import type { Labels } from '../../store/index.ts'
import { readAttributes } from './attribute-values.ts'
import { prometheusLabel } from './metric-name.ts'

const NAME = '__name__'
const SERVICE_NAME = 'service.name'
const SERVICE_NAMESPACE = 'service.namespace'
const SERVICE_INSTANCE = 'service.instance.id'
const IDENTIFYING: readonly string[] = [SERVICE_NAME, SERVICE_NAMESPACE, SERVICE_INSTANCE]

/** Labels of `target_info` beside its name, the job, and the instance. */
const TARGET_LABELS_MAX = 60

/** Labels, or why there are none. */
export type FoundLabels =
  | { readonly labels: Labels; readonly mistake?: undefined }
  | { readonly mistake: string }

/** What the attributes of a resource say of its series. */
export interface ResourceFacts {
  /** The attributes as they were received, one after the other. */
  readonly bytes: Buffer
  /** The job and the instance of all its series. */
  readonly labels: Labels
  /** Why no point of the resource can be stored. */
  readonly mistake: string | undefined
  /** The labels of `target_info`; undefined if there is nothing to say, or nothing that it could be joined by. */
  readonly target: Labels | undefined
}

/** A resource without attributes. */
export const NO_RESOURCE: ResourceFacts = {
  bytes: Buffer.alloc(0),
  labels: {},
  mistake: undefined,
  target: undefined,
}

/** Reads the attributes of a resource: fields one after the other. */
export function readResource(bytes: Buffer): ResourceFacts {
  const { attributes, mistake } = readAttributes(bytes, 0, bytes.length)
  if (mistake !== undefined) return { ...NO_RESOURCE, mistake }
  const find = (key: string) => attributes.find(([one]) => one === key)?.[1]
  const name = find(SERVICE_NAME)
  const namespace = find(SERVICE_NAMESPACE)
  const job = name === undefined || namespace === undefined ? name : `${namespace}/${name}`
  const labels: Record<string, string> = {}
  if (job) labels.job = job
  const instance = find(SERVICE_INSTANCE)
  if (instance) labels.instance = instance
  const labelMistake = findLabelMistake(labels)
  if (labelMistake !== undefined) return { ...NO_RESOURCE, mistake: labelMistake }
  const others = attributes.filter(([key]) => !IDENTIFYING.includes(key))
  const hasTarget = others.length > 0 && (labels.job ?? labels.instance) !== undefined
  const target = hasTarget ? targetLabels(others, labels) : undefined
  return { bytes, labels, mistake: undefined, target }
}

/** Attributes that a label cannot hold are left out: they must not cost the others. */
function targetLabels(
  attributes: readonly (readonly [string, string])[],
  resource: Labels,
): Labels {
  const merged = Object.entries(mergeAttributes(attributes).labels)
  const kept = merged.filter(([name, text]) => findLabelMistake({ [name]: text }) === undefined)
  const labels = Object.fromEntries(kept.slice(0, TARGET_LABELS_MAX))
  return { ...labels, ...resource, [NAME]: 'target_info' }
}

/** The labels of a point without its name: its attributes, the job, and the instance. */
export function readPointLabels(
  bytes: Buffer,
  { from, until }: { readonly from: number; readonly until: number },
  resource: Labels,
): FoundLabels {
  const { attributes, mistake } = readAttributes(bytes, from, until)
  if (mistake !== undefined) return { mistake }
  const { labels, unnamed } = mergeAttributes(attributes)
  if (unnamed !== undefined) {
    return { mistake: `Attribute ${JSON.stringify(unnamed.slice(0, 60))} cannot name a label` }
  }
  return { labels: { ...labels, ...resource } }
}

/** Labels of attributes. Texts of attributes with the same name are joined with a semicolon, in the order of keys. */
function mergeAttributes(attributes: readonly (readonly [string, string])[]): {
  labels: Record<string, string>
  unnamed: string | undefined
} {
  const labels = new Map<string, string>()
  let unnamed: string | undefined
  const sorted = attributes.toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)))
  for (const [key, text] of sorted) {
    if (key === NAME) continue
    const name = prometheusLabel(key)
    if (name === undefined) {
      unnamed ??= key
      continue
    }
    const before = labels.get(name)
    // An empty text means that the label is absent.
    if (text !== '') labels.set(name, before === undefined ? text : `${before};${text}`)
  }
  return { labels: Object.fromEntries(labels), unnamed }
}
