import type { OAuthBase } from './oauth-base.ts'

/** In the order in which they come from each other, so that nothing slips through in between. */
const KINDS = ['oauth_ticket', 'oauth_code', 'oauth_grant']
const PAGE = 500

/**
 * Takes back everything that clients have from a user or could still get: unanswered consents,
 * codes and grants. For when a password was changed, perhaps because somebody else knew it.
 */
export async function revokeAllOf(base: OAuthBase, userUid: string): Promise<void> {
  for (const kind of KINDS) {
    const query = { orgUid: '', kind, parentUid: userUid, start: 0, limit: PAGE }
    for (;;) {
      const { documents } = await base.store.list(query)
      if (documents.length === 0) break
      await base.store.commit(
        documents.map(({ uid }) => ({
          op: 'delete',
          orgUid: '',
          kind,
          uid,
          expectedRevision: 'any',
        })),
      )
    }
  }
}
