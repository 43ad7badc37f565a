export type { ActingCaller } from './acting-caller.ts'
export {
  answerInvitation,
  listOwnInvitations,
  type OwnInvitation,
} from './answer-invitations.ts'
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
} from './clients.ts'
export {
  type CreatedOrganization,
  createOrganization,
  type NewOrganization,
} from './create-organization.ts'
export {
  type DeletionParts,
  resumeOrganizationDeletions,
} from './delete-organization.ts'
export { getUser, listUsers, type OrgUser } from './find-users.ts'
export { listOwnGrants, revokeOwnGrant } from './grants.ts'
export {
  changeKey,
  getKey,
  insertKey,
  listKeys,
  makeKey,
  revealKey,
  revokeKey,
} from './keys.ts'
export {
  changeOrganization,
  getOrganization,
  insertOrganization,
  listOrganizations,
  makeOrganization,
  removeOrganization,
} from './manage-organizations.ts'
export {
  addUser,
  changeUser,
  makeUser,
  type NewUser,
  removeUser,
  type UserChanges,
} from './manage-users.ts'
export {
  beginOwnFactor,
  confirmOwnFactor,
  getOwnFactor,
  removeOwnFactor,
} from './own-second-factor.ts'
export { endOwnSession, findSelf, listOwnSessions } from './own-sessions.ts'
export { exportAudit, listAudit } from './read-audit.ts'
export { announceAct, authorOf } from './record-changes.ts'
export { type Command, type CommandResult, runCommand } from './run-command.ts'
export {
  beginScrub,
  readServiceMetrics,
  readStorage,
  type StorageParts,
} from './storage.ts'
