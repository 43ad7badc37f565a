export {
  type ActingCaller,
  addUser,
  changeUser,
  findUserOf,
  type NewUser,
  removeUser,
  type UserChanges,
} from './administer-users.ts'
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
  requireMayHandle,
} from './api-keys.ts'
export {
  type AuditAct,
  type AuditEntry,
  AuditLog,
  type AuditRecord,
  actorName,
} from './audit-log.ts'
export {
  type AuthCall,
  Authenticator,
  type BearerAuthenticator,
  type BearerGrant,
  type Caller,
} from './authenticator.ts'
export {
  type CreatedOrganization,
  createOrganization,
  type NewOrganization,
} from './create-organization.ts'
export type { Credential, Credentials, Place } from './credentials.ts'
export { type DeletionParts, deleteOrganization } from './delete-organization.ts'
export { grantAuditor } from './grant-audit.ts'
export { type Identity, type IdentityDeps, nameOf, openIdentity } from './identity.ts'
export * from './oauth/index.ts'
export { maySeeStream, Operators } from './operators.ts'
export {
  type Organization,
  type OrganizationFields,
  type OrganizationOAuth,
  Organizations,
} from './organizations.ts'
export { PasswordHasher } from './password.ts'
export { peopleOf } from './people.ts'
export { type RateDecision, RateLimiter } from './rate-limiter.ts'
export { type Command, type CommandResult, runCommand } from './run-command.ts'
export { SecretBox } from './secret-box.ts'
export { SESSION_IDLE_MS, Sessions } from './sessions.ts'
export type { SignInAttempt } from './sign-in.ts'
export { type Membership, type User, type UserFields, Users } from './users.ts'
