/** What the service says about a field, in the words of the pages: programs know fields by paths, people by labels. */

const KINDS: Readonly<Record<string, string>> = {
  component: 'The component',
  stream: 'The stream',
  component_template: 'The template',
  component_folder: 'The folder',
  cycle: 'The cycle',
  unit: 'The unit',
  delete_profile: 'The delete profile',
  alert: 'The alert',
  dashboard: 'The board',
  api_key: 'The key',
  org_user: 'The person',
  oauth_client: 'The client',
  organization: 'The organization',
  second_factor: 'The second factor',
  invitation: 'The invitation',
  connector: 'The connector',
  connection: 'The connection',
  channel: 'The channel',
  door: 'The preview',
}

/** Lists, and what one of them is called. */
const ITEMS: Readonly<Record<string, string>> = {
  stream: 'stream',
  streams: 'stream',
  panels: 'panel',
  intervals: 'period',
  variables: 'variable',
  capabilities: 'permission',
  ipAddresses: 'IP address',
  redirectUris: 'redirect URI',
  procs: 'SQL',
}

/** Fields whose labels are not their names with blanks. */
const LABELS: Readonly<Record<string, string>> = {
  id: 'ID',
  streamType: 'Kind',
  rollupMethod: 'Aggregation',
  timeZoneId: 'Time zone',
  count: 'Count',
  sizeType: 'Unit of length',
  referenceDate: 'Start of a period',
  intervals: 'Periods',
  stream: 'Streams',
  email: 'Email',
  min: 'Minimum',
  max: 'Maximum',
  stat: 'Statistic',
  cycleId: 'Cycle',
  from: 'Start',
  until: 'End',
  compId: 'Component ID',
  version: 'Version',
  streamId: 'Stream',
  componentId: 'Component',
  expression: 'Formula',
  otp: 'Code',
  capabilities: 'Permissions',
  ipAddresses: 'Allowed IP addresses',
  redirectUris: 'Redirect URIs',
  runningUser: 'Runs as',
  sql: 'SQL',
  procs: 'SQL',
  tls: 'Encryption',
  delete_profile: 'Delete profile',
  baseCycle: 'Base cycle',
  oauth: 'OAuth client registration',
}

/** Fields of an address rule, whose names elsewhere are those of lists. */
const RULE_LABELS: Readonly<Record<string, string>> = {
  component: 'Component ID',
  stream: 'Stream ID',
  uses: 'Labels not appended',
}

/** Parts of paths that only hold others. */
const HOLDERS: ReadonlySet<string> = new Set([
  'location',
  'options',
  'derivation',
  'addressRule',
  'keyRule',
  'organizationRule',
])
/** Parts of paths that stand for what they belong to. */
const STAND_INS: ReadonlySet<string> = new Set(['uid', 'resource', 'streamUid', 'componentUid'])

/** Values and orders of the API that messages name. */
const PHRASES: ReadonlyArray<readonly [pattern: RegExp, words: string]> = [
  [/\brdm_stream\b/g, 'Random'],
  [/\bintvl_stream\b/g, 'Interval'],
  [/\bpoint_stream\b/g, 'Point'],
  [/\ba CUSTOM cycle needs at least one interval\b/g, 'add at least one period'],
  [/\ba CUSTOM cycle\b/g, 'a custom cycle'],
  [/\b(MILLISEC|SECOND|MINUTE|HOUR|DAY|WEEK|MONTH|YEAR)(?= is too long\b)/g, 'of these'],
  [/\bfrom must be earlier than until\b/g, 'the start must be before the end'],
  [/\bgreater than min\b/g, 'greater than the minimum'],
  [/\bunless mayUseLogin is true\b/g, 'unless the client may sign users in with their password'],
  [
    /\bthe only OWNER: make another user OWNER first\b/g,
    'the only owner. Make another person owner first',
  ],
  [/^Cannot accept .*?: "data" /g, 'The value '],
  [/^Cannot accept .*?: "time" /g, 'The time '],
  [/ was started\. PUT it first$/g, ' was started. Start again'],
  [/ is already on\. Delete it first$/g, ' is already on. Turn it off first'],
]

/** What a role does not give, by method and resource. */
const FORBIDDEN = /^You may not (GET|PUT|POST|DELETE) (.+) with your role in this organization$/
const VERBS: Readonly<Record<string, string>> = {
  GET: 'see',
  PUT: 'add',
  POST: 'change',
  DELETE: 'delete',
}
const THINGS: Readonly<Record<string, string>> = {
  component: 'components and streams',
  component_template: 'templates',
  org_user: 'people',
  component_folder: 'folders',
  cycle: 'cycles',
  unit: 'units',
  alert: 'alerts',
  dashboard: 'boards',
  delete_profile: 'delete profiles',
  api_key: 'API keys',
  oauth_client: 'OAuth clients',
  connector: 'connectors',
  connection: 'connections',
  conn_sink: 'sinks',
  organization: 'the organization',
  audit: 'the audit log',
  storage: 'the storage',
  door: 'refused points',
}

interface Part {
  readonly name: string
  readonly at: number | undefined
}

/** A field by its path as people call it: `component.stream[0].valueType` is `Values of stream 1`. */
export function fieldWords(path: string): string {
  const all = partsOf(path)
  const kind = all[0]?.name ?? ''
  const parts = kind in KINDS && all[0].at === undefined ? all.slice(1) : all
  const names = parts.filter(({ name }, at) => !HOLDERS.has(name) || at === parts.length - 1)
  const shown = names.filter(({ name }, at) => at === 0 || !STAND_INS.has(name))
  if (shown.length === 0) return KINDS[kind] ?? path
  const isRule = parts[0].name.endsWith('Rule')
  const words = shown
    .toReversed()
    .map((part) =>
      part.at === undefined
        ? ((isRule ? RULE_LABELS[part.name] : undefined) ?? labelOf(part.name))
        : itemOf(part),
    )
  return [capital(words[0]), ...words.slice(1).map(small)].join(' of ')
}

/** What the service said, in words of the pages; `path` is that of the field that it is about. */
export function messageInWords(message: string, path: string | undefined): string {
  const said = path === undefined ? forbiddenWords(message) : withSubject(message, path)
  return PHRASES.reduce((text, [pattern, words]) => text.replace(pattern, words), said)
}

function forbiddenWords(message: string): string {
  const [, method, resource = ''] = FORBIDDEN.exec(message) ?? []
  if (method === undefined) return message
  const [noun] = resource.split('/')
  const thing = resource.endsWith('/feed') ? 'samples' : (THINGS[noun] ?? resource)
  return `Your role in this organization does not let you ${VERBS[method]} ${thing}.`
}

function withSubject(message: string, path: string): string {
  const subject = fieldWords(path)
  const bare = message
    .replace(/^body:? /, '')
    .replace(/^Cannot use this cycle: [^\s:]+: /, `${path}: `)
  if (/must have required propert/.test(bare)) return `${subject} is missing`
  if (!bare.startsWith(path)) return message
  const rest = bare.slice(path.length)
  return /^ \d/.test(rest) ? `${subject}:${rest}` : `${subject}${rest}`
}

/** The names of a path such as `a[0].b`, with the place in a list beside the name of the list. */
function partsOf(path: string): Part[] {
  const parts: Part[] = []
  for (const text of path.split(/[.[\]]+/).filter((one) => one !== '')) {
    const last = parts.at(-1)
    if (/^\d+$/.test(text) && last !== undefined)
      parts[parts.length - 1] = { name: last.name, at: Number(text) }
    else parts.push({ name: text, at: undefined })
  }
  return parts
}

function itemOf({ name, at = 0 }: Part): string {
  return `${ITEMS[name] ?? labelOf(name)} ${at + 1}`
}

function labelOf(name: string): string {
  const known = LABELS[name]
  if (known !== undefined) return known
  return capital(
    name.replaceAll('_', ' ').replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
  )
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
/** Short names such as ID stay as they are. */
const small = (text: string) =>
  /^\p{Lu}\p{Lu}/u.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1)
