export {
  Capabilities,
  type CapabilityEntry,
  type FeedCoverage,
  findResourceMistake,
  type Method,
  methods,
  resourceRoots,
} from './capability.ts'
export { findIpMistake, IpList, plainAddress } from './ip-list.ts'
export {
  type Actor,
  allows,
  allowsEveryFeed,
  feedCoverage,
  isAdministrator,
  keyPrincipal,
  mayCreate,
  type Principal,
  type Role,
  requirePermit,
  roles,
  userPrincipal,
} from './principal.ts'
