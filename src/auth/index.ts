export type { ActingCaller } from './administer/acting-caller.ts'
export {
  answerInvitation,
  listOwnInvitations,
  type OwnInvitation,
} from './administer/answer-invitations.ts'
export {
  changeOAuthClient,
  findClientsOrg,
  getOAuthClient,
  insertOAuthClient,
  listOAuthClients,
  makeOAuthClient,
  type OAuthParts,
  removeOAuthClient,
  renewOAuthClientSecret,
} from './administer/clients.ts'
export {
  type CreatedOrganization,
  createOrganization,
  type NewOrganization,
} from './administer/create-organization.ts'
export {
  type DeletionParts,
  resumeOrganizationDeletions,
} from './administer/delete-organization.ts'
export { getUser, listUsers, type OrgUser } from './administer/find-users.ts'
export { listOwnGrants, revokeOwnGrant } from './administer/grants.ts'
export {
  changeKey,
  getKey,
  insertKey,
  listKeys,
  makeKey,
  revealKey,
  revokeKey,
} from './administer/keys.ts'
export {
  changeOrganization,
  getOrganization,
  insertOrganization,
  listOrganizations,
  makeOrganization,
  removeOrganization,
} from './administer/manage-organizations.ts'
export {
  addUser,
  changeUser,
  makeUser,
  type NewUser,
  removeUser,
  type UserChanges,
} from './administer/manage-users.ts'
export {
  beginOwnFactor,
  confirmOwnFactor,
  getOwnFactor,
  removeOwnFactor,
} from './administer/own-second-factor.ts'
export { endOwnSession, findSelf, listOwnSessions } from './administer/own-sessions.ts'
export { exportAudit, listAudit } from './administer/read-audit.ts'
export { announceAct, authorOf } from './administer/record-changes.ts'
export { type Command, type CommandResult, runCommand } from './administer/run-command.ts'
export {
  beginScrub,
  readServiceMetrics,
  readStorage,
  type StorageParts,
} from './administer/storage.ts'
export {
  Admission,
  type AdmissionAnswer,
  type AdmissionCall,
  type CountedAs,
} from './admission.ts'
export {
  type ApiKey,
  type ApiKeyFields,
  ApiKeys,
  FEED_KEY_FIELDS,
  KEY_BOUNDS,
} from './api-keys.ts'
export { AUDIT_ACTS, type AuditAct, isAuditAct } from './audit-acts.ts'
export {
  type AuditEntry,
  AuditLog,
  logActs,
} from './audit-log.ts'
export type { AuditRecord } from './audit-record.ts'
export type { AuditFilter, AuditFound } from './audit-search.ts'
export {
  type AuthCall,
  Authenticator,
  type BearerAuthenticator,
  type BearerGrant,
  type Caller,
} from './authenticator.ts'
export { OrganizationFence } from './commit/organization-fence.ts'
export { catalogUsageOf, type OrganizationUsage, withQuotas } from './commit/with-quotas.ts'
export { withStandings } from './commit/with-standings.ts'
export type { Credential, Credentials, Place } from './credentials.ts'
export { type ExportedData, ExportLog } from './export-log.ts'
export { grantAuditor } from './grant-audit.ts'
export { type Identity, type IdentityDeps, nameOf, openIdentity } from './identity.ts'
export * from './oauth/index.ts'
export { maySeeComponents, maySeeStream, Operators } from './operators.ts'
export {
  ORGANIZATION_NAME_MAX,
  type Organization,
  type OrganizationFields,
  type OrganizationOAuth,
  Organizations,
} from './organizations.ts'
export { type PasswordCost, PasswordHasher } from './password.ts'
export { peopleOf } from './people.ts'
export { DEVICE_LIFE_MS } from './proof/device-token.ts'
export { findPasswordWeakness } from './proof/password-rules.ts'
export { type RateDecision, RateLimiter } from './rate-limiter.ts'
export { SecretBox } from './secret-box.ts'
export { SESSION_IDLE_MS, Sessions, type ShownSession } from './sessions.ts'
export type { SignInAttempt } from './sign-in.ts'
export { signOut } from './sign-out.ts'
export { Standing } from './standing.ts'
export { type Membership, type User, type UserFields, Users } from './users.ts'
