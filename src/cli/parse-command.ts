import { parseArgs } from 'node:util'

/** A command line, taken apart. */
export interface ParsedLine {
  /** Such as `user add`; `help` when nothing can be done. */
  readonly name: string
  readonly options: Readonly<Record<string, readonly string[]>>
  readonly isJson: boolean
}

/** A command line that says nothing; the message says what to write. */
export class UsageMistake extends Error {}

/** Every command with the options it takes. */
export const commands: Readonly<Record<string, readonly string[]>> = {
  add: ['driver'],
  backup: ['target', 'with-key'],
  check: [],
  demo: [],
  'folder accept-loss': [],
  help: [],
  licenses: [],
  'migrate influx': ['url', 'db', 'to', 'user', 'progress'],
  move: ['to'],
  restore: ['backup', 'to'],
  serve: [],
  'key add': ['name', 'org', 'description', 'capability', 'ip'],
  'key list': ['org'],
  'key revoke': ['uid'],
  'org add': ['name', 'owner-email', 'owner-password', 'time-zone'],
  'org list': [],
  'user add': ['email', 'org', 'role', 'password', 'first-name', 'last-name', 'time-zone'],
  'user reset-password': ['email', 'password'],
  version: [],
}

/** Options that take no value. */
const FLAGS: readonly string[] = ['with-key']

/** Options that may be given several times. */
const REPEATABLE: readonly string[] = ['capability', 'ip']

/** Options that may be left without their name: `key revoke <uid>`. */
const positional: Readonly<Record<string, string>> = {
  add: 'driver',
  backup: 'target',
  'migrate influx': 'url',
  restore: 'backup',
  'key add': 'name',
  'key revoke': 'uid',
  'org add': 'name',
  'user add': 'email',
  'user reset-password': 'email',
}

/** What a command cannot do without; `backup` and `restore` ask for theirs in words of their own. */
const needed: Readonly<Record<string, readonly (readonly [option: string, words: string])[]>> = {
  add: [['driver', 'the name of a driver: sqlserver or oracle']],
  'key add': [['name', 'a name']],
  'key revoke': [['uid', 'the UID of a key: see key list']],
  'migrate influx': [
    ['url', 'the URL of InfluxDB, such as http://127.0.0.1:8086'],
    ['db', '--db <name>'],
  ],
  'org add': [
    ['name', 'a name'],
    ['owner-email', '--owner-email'],
  ],
  'user add': [['email', 'an email address']],
  'user reset-password': [['email', 'an email address']],
}

/** Reads the words after `weir`. */
export function parseCommand(words: readonly string[]): ParsedLine {
  const bare = { options: {}, isJson: false }
  if (words.length === 0) return { name: 'serve', ...bare }
  if (words.some((word) => word === '--help' || word === '-h')) return { name: 'help', ...bare }
  if (words.length === 1 && words[0] === '--version') return { name: 'version', ...bare }
  const name = [words.slice(0, 2).join(' '), words[0]].find((one) => Object.hasOwn(commands, one))
  if (name === undefined) {
    const said = words.slice(0, 2).filter((word) => !word.startsWith('--'))
    throw new UsageMistake(`Unknown command "${said.join(' ')}"`)
  }
  const rest = words.slice(name.split(' ').length)
  return { name, ...readOptions(name, rest) }
}

function readOptions(name: string, words: readonly string[]): Omit<ParsedLine, 'name'> {
  const options: Record<string, string[]> = {}
  const add = (option: string, value: string, shown: string) => {
    const before = options[option] ?? []
    // Using the last of several would silently ignore the others.
    if (before.length > 0 && !REPEATABLE.includes(option)) {
      const hint = option === 'name' ? ' (put text with spaces in quotes)' : ''
      throw new UsageMistake(`${name} takes only one ${option}: unexpected ${shown}${hint}`)
    }
    options[option] = [...before, value]
  }
  const { tokens } = parseArgs({
    args: [...words],
    options: { json: { type: 'boolean' }, ...typedOptions(commands[name]) },
    // Strict mode would report Node's options instead of the command's.
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  let isJson = false
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue
    if (token.kind === 'positional') {
      const option = positional[name]
      if (option === undefined)
        throw new UsageMistake(`${name} has unexpected argument "${token.value}"`)
      add(option, token.value, `"${token.value}"`)
    } else if (token.rawName === '--json' && token.value === undefined) {
      isJson = true
    } else if (!token.rawName.startsWith('--') || !commands[name].includes(token.name)) {
      throw new UsageMistake(`${name} has no option ${token.rawName}`)
    } else if (FLAGS.includes(token.name)) {
      if (token.value !== undefined) throw new UsageMistake(`${token.rawName} takes no value`)
      add(token.name, 'true', token.rawName)
    } else if (token.value === undefined) {
      throw new UsageMistake(`${token.rawName} needs a value`)
    } else add(token.name, token.value, token.rawName)
  }
  const lacking = needed[name]?.find(([option]) => (options[option]?.[0] ?? '') === '')
  if (lacking !== undefined) throw new UsageMistake(`${name} needs ${lacking[1]}`)
  return { options, isJson }
}

function typedOptions(names: readonly string[]): Record<string, { type: 'string' | 'boolean' }> {
  const typeOf = (name: string) => (FLAGS.includes(name) ? 'boolean' : 'string')
  return Object.fromEntries(names.map((option) => [option, { type: typeOf(option) }]))
}
