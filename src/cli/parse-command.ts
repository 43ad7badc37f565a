/** A command line, taken apart. */
export interface ParsedLine {
  /** Such as `user add`; `help` when nothing can be done. */
  readonly name: string
  readonly options: Readonly<Record<string, readonly string[]>>
  readonly isJson: boolean
}

/** A command line that says nothing; the message tells what to write. */
export class UsageMistake extends Error {}

/** Every command with the options it takes. */
export const commands: Readonly<Record<string, readonly string[]>> = {
  check: [],
  'folder accept-loss': [],
  help: [],
  serve: [],
  'key add': ['name', 'org', 'description', 'capability', 'ip'],
  'key list': ['org'],
  'key revoke': ['uid'],
  'org add': ['name', 'owner-email', 'owner-password', 'time-zone'],
  'org list': [],
  'user add': ['email', 'org', 'role', 'password', 'first-name', 'last-name', 'time-zone'],
  'user reset-password': ['email', 'password'],
}

/** Options that may be left without their name: `key revoke <uid>`. */
const positional: Readonly<Record<string, string>> = {
  'key add': 'name',
  'key revoke': 'uid',
  'org add': 'name',
  'user add': 'email',
  'user reset-password': 'email',
}

/** Reads the words after `weir`. */
export function parseCommand(words: readonly string[]): ParsedLine {
  const isHelp = words.length === 0 || words.some((word) => word === '--help' || word === '-h')
  if (isHelp) return { name: 'help', options: {}, isJson: false }
  const name = [words.slice(0, 2).join(' '), words[0]].find((one) => Object.hasOwn(commands, one))
  if (name === undefined) {
    throw new UsageMistake(`There is no command "${words.slice(0, 2).join(' ')}"`)
  }
  const rest = words.slice(name.split(' ').length)
  return { name, ...readOptions(name, rest) }
}

function readOptions(name: string, words: readonly string[]): Omit<ParsedLine, 'name'> {
  const options: Record<string, string[]> = {}
  const add = (option: string, value: string) => {
    options[option] = [...(options[option] ?? []), value]
  }
  let isJson = false
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]
    if (word === '--json') {
      isJson = true
      continue
    }
    if (!word.startsWith('--')) {
      if (positional[name] === undefined) throw new UsageMistake(`${name} takes no "${word}"`)
      add(positional[name], word)
      continue
    }
    const [option, inline] = splitOption(word)
    if (!commands[name].includes(option)) throw new UsageMistake(`${name} has no --${option}`)
    const value = inline ?? words[at + 1]
    if (value === undefined) throw new UsageMistake(`--${option} needs a value`)
    if (inline === undefined) at += 1
    add(option, value)
  }
  return { options, isJson }
}

function splitOption(word: string): [string, string | undefined] {
  const equalsAt = word.indexOf('=')
  return equalsAt < 0
    ? [word.slice(2), undefined]
    : [word.slice(2, equalsAt), word.slice(equalsAt + 1)]
}
