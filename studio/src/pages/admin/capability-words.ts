/** What an API key may do, as a sentence and as rows that a person can tick. */
import type { Schema } from '../../api/paths.ts'

/** One entry of a key's list. */
export type Capability = Schema<'Capability'>

/** A method of the API. */
export type Method = Capability['methods'][number]

/** A kind of thing that a key may touch. */
interface Kind {
  readonly id: string
  readonly label: string
  /** The path; `{component}` stands for `*` or a component's UID. */
  readonly resource: string
  readonly verbs: ReadonlyArray<readonly [Method, string]>
  /** Whether it is called by the methods, and not seen, added and so on. */
  readonly isCalled?: boolean
}

const RECORD_VERBS = [
  ['GET', 'see'],
  ['PUT', 'add'],
  ['POST', 'change'],
  ['DELETE', 'delete'],
] as const
/** A sink does the same whatever it is called by. */
const CALL_VERBS = [
  ['GET', 'GET'],
  ['PUT', 'PUT'],
  ['POST', 'POST'],
  ['DELETE', 'DELETE'],
] as const
const SAMPLE_VERBS = [
  ['GET', 'read'],
  ['PUT', 'send'],
  ['DELETE', 'delete'],
] as const

/** Every kind, the usual ones first. */
export const KINDS: readonly Kind[] = [
  { id: 'samples', label: 'samples', resource: 'component/{component}/feed', verbs: SAMPLE_VERBS },
  {
    id: 'component',
    label: 'components and streams',
    resource: 'component/{component}',
    verbs: RECORD_VERBS,
  },
  { id: 'components', label: 'all components', resource: 'component', verbs: RECORD_VERBS },
  {
    id: 'property',
    label: 'properties',
    resource: 'component/{component}/property',
    verbs: RECORD_VERBS,
  },
  { id: 'folder', label: 'folders', resource: 'component_folder', verbs: RECORD_VERBS },
  { id: 'template', label: 'templates', resource: 'component_template', verbs: RECORD_VERBS },
  { id: 'cycle', label: 'cycles', resource: 'cycle', verbs: RECORD_VERBS },
  { id: 'unit', label: 'units', resource: 'unit', verbs: RECORD_VERBS },
  { id: 'profile', label: 'delete profiles', resource: 'delete_profile', verbs: RECORD_VERBS },
  { id: 'alert', label: 'alerts', resource: 'alert', verbs: RECORD_VERBS },
  { id: 'dashboard', label: 'dashboards', resource: 'dashboard', verbs: RECORD_VERBS },
  { id: 'query', label: 'queries', resource: 'query', verbs: RECORD_VERBS },
  { id: 'channel', label: 'channels', resource: 'channel', verbs: RECORD_VERBS },
  { id: 'connector', label: 'connectors', resource: 'connector', verbs: RECORD_VERBS },
  { id: 'connection', label: 'connections', resource: 'connection', verbs: RECORD_VERBS },
  {
    id: 'sink',
    label: 'webhook URLs of connectors',
    resource: 'conn_sink',
    verbs: CALL_VERBS,
    isCalled: true,
  },
  { id: 'job', label: 'jobs', resource: 'job', verbs: RECORD_VERBS },
  { id: 'user', label: 'people', resource: 'org_user', verbs: RECORD_VERBS },
  { id: 'key', label: 'API keys', resource: 'api_key', verbs: RECORD_VERBS },
  { id: 'client', label: 'OAuth clients', resource: 'oauth_client', verbs: RECORD_VERBS },
  { id: 'organization', label: 'the organization', resource: 'organization', verbs: RECORD_VERBS },
  { id: 'audit', label: 'the audit log', resource: 'audit', verbs: [['GET', 'see']] },
  {
    id: 'storage',
    label: 'the storage of the service',
    resource: 'storage',
    verbs: [
      ['GET', 'see'],
      ['POST', 'check'],
    ],
  },
  { id: 'all', label: 'everything', resource: '*', verbs: RECORD_VERBS },
]

/** One row of the picker. */
export interface Right {
  /** A kind, or undefined for a path of one's own. */
  readonly kind: Kind | undefined
  /** `*`, or the UID of the one component that it is about. */
  readonly component: string
  /** The path where `kind` is undefined. */
  readonly path: string
  readonly methods: readonly Method[]
}

/** A row as the API has it. */
export function capabilityOf({ kind, component, path, methods }: Right): Capability {
  const resource = kind?.resource.replace('{component}', component) ?? path
  return { resource, methods: [...methods] }
}

/** What the API has, as a row. */
export function rightOf({ resource, methods }: Capability): Right {
  for (const kind of KINDS) {
    const [before, after = ''] = kind.resource.split('{component}')
    const isOfComponents = kind.resource.includes('{component}')
    if (!isOfComponents && kind.resource === resource)
      return { kind, component: '*', path: resource, methods }
    if (!isOfComponents || !resource.startsWith(before) || !resource.endsWith(after)) continue
    const component = resource.slice(before.length, resource.length - after.length)
    if (component !== '' && !component.includes('/'))
      return { kind, component, path: resource, methods }
  }
  return { kind: undefined, component: '*', path: resource, methods }
}

/** A list of rights in one sentence: `May read and send samples of every component.` */
export function sentenceOf(
  capabilities: readonly Capability[],
  nameOf: (componentUid: string) => string = (uid) => uid,
): string {
  const parts = capabilities.map((one) => partOf(rightOf(one), nameOf))
  if (parts.length === 0) return 'No permissions. The key is disabled.'
  return `Can ${parts.join('; can ')}.`
}

function partOf(right: Right, nameOf: (componentUid: string) => string): string {
  const { kind, component, path, methods } = right
  const verbs = kind?.verbs ?? RECORD_VERBS
  const said = verbs.filter(([method]) => methods.includes(method)).map(([, verb]) => verb)
  const may = said.length === 0 ? 'not access' : listed(said)
  if (kind === undefined) return `${may} ${path}`
  if (kind.isCalled === true && said.length > 0) return `call ${kind.label} by ${may}`
  if (!kind.resource.includes('{component}')) return `${may} ${kind.label}`
  return `${may} ${kind.label} of ${component === '*' ? 'every component' : nameOf(component)}`
}

function listed(words: readonly string[]): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`
}
