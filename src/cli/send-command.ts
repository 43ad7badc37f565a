import { request } from 'node:http'
import { commandSocketAddress } from '../base/index.ts'

/** What the service said to a command. */
export type CommandAnswer =
  | { readonly success: true; readonly result: unknown }
  | { readonly success: false; readonly message: string; readonly code: string }

/** Sends a command to the service that runs on a data folder; undefined when none runs there. */
export function sendCommand(
  folder: string,
  command: { readonly name: string; readonly options: object },
): Promise<CommandAnswer | undefined> {
  const { name, options } = command
  let address: ReturnType<typeof commandSocketAddress>
  try {
    address = commandSocketAddress(folder)
  } catch {
    // The folder does not exist yet.
    return Promise.resolve(undefined)
  }
  const { promise, resolve, reject } = Promise.withResolvers<CommandAnswer | undefined>()
  // A connection for each: one that is kept may just be closed by the service for its silence, which would look as if it had stopped.
  const to = { socketPath: address.path, method: 'POST', path: '/', agent: false }
  const call = request(to, (answer) => {
    const parts: Buffer[] = []
    answer.on('data', (part: Buffer) => parts.push(part))
    answer.on('error', reject)
    answer.on('end', () => resolve(JSON.parse(Buffer.concat(parts).toString('utf8'))))
  })
  call.on('error', (error: NodeJS.ErrnoException) => {
    const isAbsent = error.code === 'ENOENT' || error.code === 'ECONNREFUSED'
    if (isAbsent) resolve(undefined)
    else reject(error)
  })
  call.end(JSON.stringify({ name, options }))
  return promise.finally(() => address.release())
}
