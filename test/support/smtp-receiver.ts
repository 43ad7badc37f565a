import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { SmtpServer } from '../../src/base/index.ts'

/** A mail server that keeps what it is sent. */
export interface SmtpReceiver {
  readonly server: SmtpServer
  readonly messages: readonly string[]
  close(): Promise<void>
}

/** Starts a real SMTP server on the loopback interface, for one user if a password is given. */
export async function startSmtpReceiver(
  password = '',
  options: SMTPServerOptions = {},
): Promise<SmtpReceiver> {
  const messages: string[] = []
  const server = new SMTPServer({
    authOptional: password === '',
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: (auth, _session, done) =>
      auth.password === password
        ? done(null, { user: auth.username })
        : done(new Error(`wrong password ${auth.password}`)),
    onData: (stream, _session, done) => {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', () => {
        messages.push(Buffer.concat(pieces).toString('utf8'))
        done()
      })
    },
    ...options,
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    server: {
      host: '127.0.0.1',
      port,
      isTls: false,
      requiresTls: false,
      verifiesTls: true,
      user: password === '' ? '' : 'weir',
      password,
    },
    messages,
    close: async () => {
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      await closed.promise
    },
  }
}
