/** A piece of the composition root: the first start of a storage makes its organization. */
import { createServer } from 'node:net'
import { type CreatedOrganization, createOrganization } from '../auth/administer/index.ts'
import { findPasswordWeakness, type Identity } from '../auth/index.ts'
import type { Config, Log } from '../base/index.ts'
import { markUnprinted, takeUnprinted } from './unprinted-password.ts'

/** What a first start has made, and the port that it holds until the service listens on it. */
interface FirstStart {
  readonly created: CreatedOrganization
  readonly port: ClaimedPort
}

/**
 * Makes the first organization where there is none; undefined when there is, also when another process is first. The port is taken before: a password
 * that is printed once must not be created by a start that fails for want of it.
 */
export async function beginFirstStart(
  parts: { readonly identity: Identity; readonly config: Config; readonly log: Log },
  opened: AsyncDisposableStack,
): Promise<FirstStart | undefined> {
  const { identity, config, log } = parts
  if (identity.organizations.count > 0) return undefined
  const port = await claimPort(config)
  opened.defer(() => port.release())
  const { ownerEmail, ownerPassword, ownerTimeZone, feedKey } = config
  const weakness =
    ownerPassword === undefined
      ? undefined
      : findPasswordWeakness(ownerPassword, { email: ownerEmail })
  // What an operator has written down for a start without people must not keep it from starting.
  if (weakness !== undefined) log.warn(`WEIR_OWNER_PASSWORD ${weakness}. Change it soon`)
  const wanted = {
    ownerEmail,
    ownerPassword,
    ownerTimeZone,
    feedKey,
    isFirst: true,
    name: 'My organization',
    actor: 'first start',
  }
  // Once a password was given it is known; only a generated one must be printed.
  if (ownerPassword === undefined) markUnprinted(config.dataDir, ownerEmail.toLowerCase())
  const created = await createOrganization(identity, wanted).catch(async (error: unknown) => {
    // Another process of the same cluster may have been first.
    await identity.organizations.load()
    if (identity.organizations.count === 0) throw error
  })
  if (created === undefined) {
    takeUnprinted(config.dataDir)
    log.info('another process created the first organization and printed its password')
    await port.release()
    return undefined
  }
  return { created: { ...created, feedKey: await readFeedKey(identity, created) }, port }
}

/** The key as it is stored: the printed key must work. */
async function readFeedKey(
  { keys: apiKeys }: Identity,
  { organization }: CreatedOrganization,
): Promise<string> {
  const { keys } = await apiKeys.list(organization.uid, { start: 0, limit: 1 })
  return apiKeys.reveal(keys[0])
}

/** A port that nobody else can take. */
interface ClaimedPort {
  release(): Promise<void>
}

/** Takes the port; rejects as listening does. Anyone who connects meanwhile is cut off, as before a start. */
async function claimPort({ host, port }: Config): Promise<ClaimedPort> {
  if (port === 0) return { release: async () => {} }
  const holder = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    holder.once('error', reject)
    holder.listen({ host, port, exclusive: true }, resolve)
  })
  return {
    release: () => new Promise((resolve) => void holder.close(() => resolve())),
  }
}
