import type { Role } from '../../access/index.ts'
import type { OAuthBase } from './oauth-base.ts'
import type { OAuthMode } from './oauth-settings.ts'
import { type OAuthClient, organizationAccepts } from './resolve-client.ts'

/** A person as the consent page and introspection show them. */
export interface OAuthUser {
  readonly userUid: string
  readonly email: string
  readonly name: string
}

/** One organization of a user, with what it lets clients do. */
export interface UserOrganization {
  readonly orgUid: string
  readonly name: string
  readonly role: Role
  readonly mode: OAuthMode
}

/** What OAuth asks of the part that knows users and their passwords. */
export interface OAuthUsers {
  /**
   * Who signs in with this password. An unknown e-mail and a wrong password get the same refusal
   * after the same work, and too many of them from one address or for one account `rate_limited`.
   */
  signIn(attempt: {
    readonly email: string
    readonly password: string
    readonly address: string
    /** What the device was given at a sign-in before. */
    readonly device?: string
    /** A code of the second factor, for accounts that have one. */
    readonly otp?: string
  }): Promise<OAuthUser>
  /** A user who may still sign in. */
  findUser(userUid: string): Promise<OAuthUser | undefined>
  organizationsOf(userUid: string): Promise<readonly UserOrganization[]>
  /** Strict when the service is, or when the organization's own setting says so. */
  modeOf(orgUid: string): Promise<OAuthMode>
}

/** What the endpoints that know users stand on. */
export interface OAuthWithUsers extends OAuthBase {
  readonly users: OAuthUsers
}

/** The organizations of a user in which a client may act. */
export async function acceptingOrganizations(
  base: OAuthWithUsers,
  userUid: string,
  client: Pick<OAuthClient, 'registration'>,
): Promise<readonly UserOrganization[]> {
  const organizations = await base.users.organizationsOf(userUid)
  return organizations.filter((organization) => organizationAccepts(organization, client))
}
