/** What an operator does from the command line: no organization's rules bind them, all is written down. */
import { type CapabilityEntry, type Method, methods, roles } from '../../access/index.ts'
import { newSecret, readEmail, readTimeZone, refuse, SettingMistake } from '../../base/index.ts'
import { FEED_KEY_FIELDS } from '../api-keys.ts'
import { OPERATOR } from '../audit-log.ts'
import type { Identity } from '../identity.ts'
import { findPasswordWeakness } from '../proof/password-rules.ts'
import { operatorIn } from './acting-caller.ts'
import { createOrganization } from './create-organization.ts'
import { insertKey, listKeys, revokeKey } from './keys.ts'
import { addUser, refuseKnownAccount, resetPassword } from './manage-users.ts'

/** A command with its options, as parsed from the command line. */
export interface Command {
  readonly name: string
  readonly options: Readonly<Record<string, readonly string[]>>
}

/** What a command answers: one record or several, ready to be printed. */
export type CommandResult =
  | Readonly<Record<string, unknown>>
  | readonly Readonly<Record<string, unknown>>[]

type Run = (identity: Identity, options: Options) => Promise<CommandResult>

const KEYS_PAGE = 1_000

const runs: Readonly<Record<string, Run>> = {
  'key add': keyAdd,
  'key list': keyList,
  'key revoke': keyRevoke,
  'org add': orgAdd,
  'org list': orgList,
  'user add': userAdd,
  'user reset-password': userResetPassword,
}

/** Runs a command; refuses one that is unknown or lacks an option, naming it. */
export async function runCommand(identity: Identity, command: Command): Promise<CommandResult> {
  const run = Object.hasOwn(runs, command.name) ? runs[command.name] : undefined
  if (run === undefined) {
    refuse('bad_input', { what: `Unknown command "${command.name}". See weir help` })
  }
  return run(identity, new Options(command))
}

class Options {
  readonly #command: Command

  constructor(command: Command) {
    this.#command = command
  }

  all(name: string): readonly string[] {
    return this.#command.options[name] ?? []
  }

  find(name: string): string | undefined {
    return this.all(name).at(-1)
  }

  need(name: string): string {
    const value = this.find(name)
    if (value === undefined || value === '') {
      refuse('bad_input', { what: `${this.#command.name} needs --${name}` })
    }
    return value
  }

  read<T>(name: string, text: string, reader: (text: string) => T): T {
    try {
      return reader(text)
    } catch (error) {
      if (!(error instanceof SettingMistake)) throw error
      refuse('bad_input', { what: `--${name} ${error.message}` })
    }
  }

  oneOf<T extends string>(name: string, values: readonly T[], otherwise: T): T {
    const text = this.find(name) ?? otherwise
    const value = values.find((one) => one === text)
    if (value === undefined) {
      refuse('bad_input', { what: `--${name} must be one of ${values.join(', ')}` })
    }
    return value
  }

  /** The password given, or one made up. */
  password(name: string, email: string): string {
    const password = this.find(name) ?? newSecret()
    const weakness = findPasswordWeakness(password, { email })
    if (weakness !== undefined) refuse('bad_input', { what: `--${name} ${weakness}` })
    return password
  }
}

async function userAdd(identity: Identity, options: Options): Promise<CommandResult> {
  const orgUid = chooseOrganization(identity, options)
  const email = options.read('email', options.need('email'), readEmail)
  const timeZone = options.read('time-zone', options.find('time-zone') ?? 'UTC', readTimeZone)
  const role = options.oneOf('role', roles, 'MEMBER')
  const isNew = (await identity.users.findByEmail(email)) === undefined
  // A password is made up for new accounts only; one that is given is never ignored.
  const password =
    isNew || options.find('password') !== undefined
      ? options.password('password', email)
      : undefined
  const firstName = options.find('first-name') ?? ''
  const lastName = options.find('last-name') ?? ''
  const wanted = { email, firstName, lastName, timeZone, role, password }
  const { user, invitation } = await addUser(identity, operatorIn(orgUid), wanted)
  return {
    uid: (user ?? invitation).uid,
    email,
    role,
    org: orgUid,
    ...(password === undefined || options.find('password') !== undefined ? {} : { password }),
  }
}

async function userResetPassword(identity: Identity, options: Options): Promise<CommandResult> {
  // An account is found by the address it has, also where such a one would not be taken today.
  const given = options.need('email').toLowerCase()
  const isKnown = (await identity.users.findByEmail(given)) !== undefined
  const email = isKnown ? given : options.read('email', given, readEmail)
  const password = options.password('password', email)
  const { uid } = await resetPassword(identity, email, password)
  return { uid, email, ...(options.find('password') === undefined ? { password } : {}) }
}

async function orgAdd(identity: Identity, options: Options): Promise<CommandResult> {
  const ownerEmail = options.read('owner-email', options.need('owner-email'), readEmail)
  const isGiven = options.find('owner-password') !== undefined
  if (isGiven && (await identity.users.findByEmail(ownerEmail)) !== undefined) {
    refuseKnownAccount(ownerEmail)
  }
  const { organization, owner, password, feedKey } = await createOrganization(identity, {
    name: options.need('name'),
    ownerEmail,
    ownerPassword: options.password('owner-password', ownerEmail),
    ownerTimeZone: options.read('time-zone', options.find('time-zone') ?? 'UTC', readTimeZone),
    actor: OPERATOR,
  })
  const { uid, name } = organization
  return {
    uid,
    name,
    ownerUid: owner.uid,
    ownerEmail,
    feedKey,
    ...(password === undefined || isGiven ? {} : { ownerPassword: password }),
  }
}

async function orgList({ organizations }: Identity): Promise<CommandResult> {
  return organizations.list().map(({ uid, name, ownerUid }) => ({ uid, name, ownerUid }))
}

async function keyAdd(identity: Identity, options: Options): Promise<CommandResult> {
  const orgUid = chooseOrganization(identity, options)
  const given = options.all('capability').map(readCapability)
  const { key, secret } = await insertKey(identity, operatorIn(orgUid), {
    name: options.need('name'),
    description: options.find('description') ?? '',
    capabilities: given.length > 0 ? given : FEED_KEY_FIELDS.capabilities,
    ipAddresses: options.all('ip'),
  })
  return { uid: key.uid, name: key.name, org: orgUid, secret }
}

async function keyList(identity: Identity, options: Options): Promise<CommandResult> {
  const orgUid = chooseOrganization(identity, options)
  const page = { start: 0, limit: KEYS_PAGE }
  const { keys } = await listKeys(identity, operatorIn(orgUid), page)
  return keys.map(({ uid, name, capabilities, ipAddresses }) => ({
    uid,
    name,
    capabilities: capabilities.map((entry) => `${entry.resource}=${entry.methods.join(',')}`),
    ipAddresses,
  }))
}

async function keyRevoke(identity: Identity, options: Options): Promise<CommandResult> {
  const uid = options.need('uid')
  const orgs = identity.organizations.list().map((organization) => organization.uid)
  for (const orgUid of orgs) {
    if ((await identity.keys.find(orgUid, uid)) === undefined) continue
    const { name } = await revokeKey(identity, operatorIn(orgUid), uid)
    return { uid, name, org: orgUid }
  }
  refuse('not_found', { what: `Cannot find key "${uid}". See weir key list` })
}

function readCapability(text: string): CapabilityEntry {
  const equalsAt = text.lastIndexOf('=')
  const given = text.slice(equalsAt + 1).split(',')
  const isMethod = (word: string): word is Method => (methods as readonly string[]).includes(word)
  if (equalsAt < 1 || !given.every(isMethod)) {
    refuse('bad_input', {
      what: `--capability must look like component/*/feed=GET,PUT, not "${text}"`,
    })
  }
  return { resource: text.slice(0, equalsAt), methods: given }
}

function chooseOrganization({ organizations }: Identity, options: Options): string {
  const wanted = options.find('org')
  const all = organizations.list()
  if (wanted === undefined && all.length === 1) return all[0].uid
  const found = all.find(({ uid }) => uid === wanted)
  if (found !== undefined) return found.uid
  const known = all.map(({ uid, name }) => `${uid} (${name})`).slice(0, 20)
  if (wanted === undefined)
    refuse('bad_input', { what: `--org is missing. Organizations: ${known.join(', ')}` })
  refuse('not_found', {
    what: `Cannot find organization "${wanted}". Organizations: ${known.join(', ')}`,
  })
}
