import { chmodSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Command, CommandResult } from '../auth/administer/index.ts'
import { commandSocketAddress, type Log } from '../base/index.ts'
import { collectBody, parseJsonBody } from './transport/body.ts'
import { errorReply } from './transport/error-reply.ts'

const COMMAND_BYTES_MAX = 65_536

/** Takes commands of the command line on a socket in the data folder. */
interface CommandSocket {
  close(): Promise<void>
}

/**
 * Opens the socket; only the user the service runs as may use it. The folder is locked by then, so a
 * socket file that is there was left by a process that died.
 */
export async function openCommandSocket(options: {
  readonly folder: string
  readonly log: Log
  readonly run: (command: Command) => Promise<CommandResult>
}): Promise<CommandSocket> {
  const { folder, log, run } = options
  const address = commandSocketAddress(folder)
  const server = createServer((req, res) => {
    const reply = (status: number, body: string) =>
      res.writeHead(status, { 'Content-Type': 'application/json' }).end(body)
    answerCommand(req, run).then(
      (result) => reply(200, JSON.stringify({ success: true, result })),
      (error: unknown) => {
        const { status, body, incident } = errorReply(error)
        if (incident !== undefined) log.error({ incident, error }, 'a command failed')
        reply(status, body)
      },
    )
  })
  rmSync(address.file, { force: true })
  await listen(server, address.path)
  chmodSync(address.file, 0o600)
  return {
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      removeSocket(address.file)
      address.release()
    },
  }
}

async function answerCommand(
  req: IncomingMessage,
  run: (command: Command) => Promise<CommandResult>,
): Promise<CommandResult> {
  const contentEncoding = undefined
  const bytes = await collectBody(req, { contentEncoding, limitBytes: COMMAND_BYTES_MAX })
  return run(parseJsonBody(bytes.toString('utf8')) as Command)
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => resolve())
  })
}

/** On a disk that became read-only the name stays; the next start takes it away. */
function removeSocket(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // Nobody listens on it any more.
  }
}
