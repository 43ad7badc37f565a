/**
 * The driver opens its sockets itself, also to where a listener sends it on, so the addresses are judged
 * at the one place where it connects. `guardOracle()` stands before that method, and fails when it is
 * no longer there.
 */
import { invariant } from '../../../base/index.ts'
import { DatabaseFailure, type Outlet } from '../database-port.ts'

interface Address {
  readonly host: string
  readonly hostname?: string
}

interface Transport {
  ntConnect(address: Address): Promise<void>
}

type FindRefusal = Outlet['findRefusal']

let findRefusal: FindRefusal | undefined

/** Lets the driver connect only to addresses that nothing is found against, from here on in this process. */
export function guardOracle(load: NodeJS.Require, find: FindRefusal): void {
  const isGuarded = findRefusal !== undefined
  // One set of rules holds for the whole service.
  findRefusal = find
  if (isGuarded) return
  const { prototype } = load('oracledb/lib/thin/sqlnet/ntTcp.js') as { prototype: Transport }
  const { ntConnect } = prototype
  invariant(typeof ntConnect === 'function', 'the Oracle driver connects in an unexpected way')
  prototype.ntConnect = async function guarded(this: Transport, address) {
    const { host, hostname = host } = address
    const refusal = findRefusal?.(hostname, host)
    if (refusal !== undefined) {
      const what = `The server redirected to ${hostname} (${host}), which is ${refusal}`
      throw new DatabaseFailure('not_allowed', what)
    }
    await ntConnect.call(this, { ...address, httpsProxy: undefined })
  }
}
