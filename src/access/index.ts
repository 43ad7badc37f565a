export {
  Capabilities,
  type CapabilityEntry,
  findResourceMistake,
  type Method,
  methods,
} from './capability.ts'
export { findIpMistake, IpList, normalizeAddress } from './ip-list.ts'
export { networkOf } from './network-of.ts'
export {
  allows,
  allowsEveryFeed,
  feedCoverage,
  findBeyondRole,
  hasKept,
  isAdministrator,
  isDelegate,
  keyPrincipal,
  namedBelow,
  type Principal,
  type Role,
  requireCovers,
  requireCoversRole,
  requirePermit,
  requireSomeFeed,
  roles,
  tokenPrincipal,
  userPrincipal,
} from './principal.ts'
