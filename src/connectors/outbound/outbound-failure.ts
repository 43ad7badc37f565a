/** Why there is no connection to another host. */
type OutboundReason = 'not_allowed' | 'unknown_host' | 'refused' | 'unreachable' | 'timeout'

/** A host that cannot be reached; the message is for the one who named it. */
export class OutboundFailure extends Error {
  readonly reason: OutboundReason

  constructor(reason: OutboundReason, message: string) {
    super(message)
    this.name = 'OutboundFailure'
    this.reason = reason
  }
}
