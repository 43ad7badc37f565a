import { hashSecret, newSecret } from '../../base/index.ts'
import { CatalogConflict, type DocumentKey } from '../../store/index.ts'
import type { OAuthBase } from './oauth-base.ts'
import { TICKET_LIFETIME_MS } from './oauth-settings.ts'

/** What is remembered between sign-in and consent: who signed in, and to what they answer. */
interface ConsentTicket {
  readonly userUid: string
  /** The parameters of the authorization request, checked again when the answer comes. */
  readonly query: string
}

/** Keeps a ticket for ten minutes and returns its text, which only the user's page holds. */
export async function issueTicket(base: OAuthBase, ticket: ConsentTicket): Promise<string> {
  const secret = newSecret()
  await base.store.commit([
    {
      ...ticketKey(secret),
      op: 'put',
      parentUid: ticket.userUid,
      expiresAtMs: base.clock.now() + TICKET_LIFETIME_MS,
      body: { ...ticket },
      expectedRevision: 0,
    },
  ])
  return secret
}

/** Takes a ticket; undefined when it is unknown, expired or was taken before. */
export async function takeTicket(
  base: OAuthBase,
  secret: string,
): Promise<ConsentTicket | undefined> {
  const document = await base.store.get(ticketKey(secret))
  if (document === undefined) return undefined
  const { revision, expiresAtMs = 0, body } = document
  try {
    const key = ticketKey(secret)
    await base.store.commit([{ ...key, op: 'delete', expectedRevision: revision }])
  } catch (error) {
    if (!(error instanceof CatalogConflict)) throw error
    return undefined
  }
  return expiresAtMs > base.clock.now() ? (body as unknown as ConsentTicket) : undefined
}

function ticketKey(secret: string): DocumentKey {
  return { orgUid: '', kind: 'oauth_ticket', uid: hashSecret(secret) }
}
