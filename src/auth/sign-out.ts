import type { Identity } from './identity.ts'

/** Ends the session of a token; answers whose it was, or undefined when there is none. */
export async function signOut(
  { sessions, users, audit }: Pick<Identity, 'sessions' | 'users' | 'audit'>,
  { token, address }: { readonly token: string; readonly address: string },
): Promise<string | undefined> {
  const userUid = await sessions.use(token)
  if (userUid === undefined) return undefined
  const user = await users.find(userUid)
  const acts = (user?.memberships ?? []).map(({ orgUid }) =>
    audit.plan({
      orgUid,
      act: 'sign_out',
      actor: `user:${userUid}`,
      target: '',
      address,
      detail: '',
    }),
  )
  await sessions.end(token, acts)
  return userUid
}
