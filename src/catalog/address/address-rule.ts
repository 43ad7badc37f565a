/** How the first point of a new series becomes the IDs of a component and a stream. */
import { createHash } from 'node:crypto'
import { ID_LENGTH_MAX, refuse } from '../../base/index.ts'
import type { Labels } from '../../store/index.ts'
import { readFolder } from '../shape/folder-path.ts'

/** What an API key or an organization says of new series. */
export interface AddressRule {
  /** Text with `{label}` and `{a|b}`: the first of these labels that is there. */
  readonly component: string
  readonly stream: string
  /** Labels that count as used though neither text names them. */
  readonly uses: readonly string[]
  /** The ID of the component template by which components are made; '' for none. */
  readonly template: string
  /** The folder of new components; '' for the root. */
  readonly folder: string
  /** The UID or ID of the delete profile of new streams; '' for none. */
  readonly deleteProfile: string
}

/** What a door proposes where no rule says otherwise. */
export interface SeriesAddress {
  readonly component: string
  readonly stream: string
  /** The labels that the two texts hold, or need not hold. */
  readonly used: readonly string[]
}

/** Where the stream of a new series is looked for and made. */
export interface NewAddress {
  /** The text by which the component is known to doors, also its ID if it is made. */
  readonly component: string
  readonly stream: string
  readonly template: string
  readonly folder: string
  readonly deleteProfile: string
}

/** So much of a long ID stays before `~` and the digits of its hash. */
const KEPT_LENGTH = 495
const HASH_DIGITS = 16

const PLACE = /\{([^{}]*)\}/g
const RULE_TEXT_LENGTH_MAX = 2_000
const USES_MAX = 64

/** Of a rule whose other texts are given, what it leaves out. */
export const BLANK_RULE: AddressRule = {
  component: '',
  stream: '',
  uses: [],
  template: '',
  folder: '',
  deleteProfile: '',
}

/** The address of a new series by the first rule that names a component, else by what the door proposes. */
export function addressOfSeries(
  series: Labels,
  rules: readonly AddressRule[],
  proposed: SeriesAddress,
): NewAddress {
  for (const rule of rules) {
    const component = fillText(rule.component, series)
    if (component.text === '') continue
    const stream = fillText(rule.stream || '{__name__}', series)
    const used = new Set([...component.used, ...stream.used, ...rule.uses])
    // A blank ID names no stream: then the door's own is taken.
    const id = stream.text === '' ? proposed.stream : stream.text
    const { template, folder, deleteProfile } = rule
    return {
      component: cutId(component.text),
      stream: cutId(withLabels(id, series, used)),
      template,
      folder,
      deleteProfile,
    }
  }
  const { template, folder, deleteProfile } = BLANK_RULE
  const stream = withLabels(proposed.stream, series, new Set(proposed.used))
  return {
    component: cutId(proposed.component),
    stream: cutId(stream),
    template,
    folder,
    deleteProfile,
  }
}

function fillText(text: string, series: Labels) {
  const used: string[] = []
  const filled = text.replace(PLACE, (_, names: string) => {
    const alternatives = names.split('|')
    const name = alternatives.find((one) => Object.hasOwn(series, one))
    if (name === undefined) return ''
    used.push(name)
    return series[name]
  })
  return { text: filled, used }
}

/** Appends what nobody used, so that two series have two IDs. */
function withLabels(id: string, series: Labels, used: ReadonlySet<string>): string {
  const names = Object.keys(series).filter((name) => !used.has(name))
  names.sort((a, b) => (a < b ? -1 : 1))
  return id + names.map((name) => `,${escaped(name)}=${escaped(series[name])}`).join('')
}

function escaped(text: string): string {
  return text.replace(/[,=\\]/g, '\\$&')
}

/** An ID that may be kept: a long one is cut, and the hash of the whole distinguishes it. */
function cutId(id: string): string {
  const characters = id.length > ID_LENGTH_MAX ? [...id] : []
  if (characters.length <= ID_LENGTH_MAX) return id
  return `${characters.slice(0, KEPT_LENGTH).join('')}~${sha256(id).slice(0, HASH_DIGITS)}`
}

/** The ID to use when another series has the first choice: it ends in `~` and digits of the new series' hash. */
export function besideTaken(id: string, seriesText: string, digits: number): string {
  const kept = [...id].slice(0, ID_LENGTH_MAX - digits - 1).join('')
  return `${kept}~${sha256(seriesText).slice(0, digits)}`
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Refuses a rule that can name nothing, at its field. */
export function checkAddressRule(field: string, rule: AddressRule): void {
  if (rule.component === '') {
    refuseAt(`${field}.component`, 'must not be blank: write a text such as {host}')
  }
  for (const name of ['component', 'stream'] as const) {
    const text = rule[name]
    if (text.length > RULE_TEXT_LENGTH_MAX) {
      refuseAt(`${field}.${name}`, `may have ${RULE_TEXT_LENGTH_MAX} characters`)
    }
    const rest = text.replace(PLACE, (place, names: string) =>
      names.split('|').every((one) => one !== '') ? '' : place,
    )
    if (!/[{}]/.test(rest)) continue
    refuseAt(`${field}.${name}`, 'has a brace without a label: write {label} or {a|b}')
  }
  if (rule.uses.length > USES_MAX) refuseAt(`${field}.uses`, `may name ${USES_MAX} labels`)
  // Each point of a new component would be refused.
  if (rule.folder !== '') readFolder(`${field}.folder`, rule.folder)
}

function refuseAt(field: string, what: string): never {
  refuse('bad_input', { what: `${field} ${what}`, field })
}
