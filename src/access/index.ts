export {
  Capabilities,
  type CapabilityEntry,
  type FeedCoverage,
  findResourceMistake,
  type Method,
  methods,
  resourceRoots,
} from './capability.ts'
export { findIpMistake, IpList, normalizeAddress } from './ip-list.ts'
export { networkOf } from './network-of.ts'
export {
  type Actor,
  allows,
  allowsEveryFeed,
  feedCoverage,
  isAdministrator,
  isDelegate,
  keyPrincipal,
  mayCreate,
  type Principal,
  type Role,
  requireCovers,
  requireCoversRole,
  requirePermit,
  roles,
  userPrincipal,
} from './principal.ts'
