import { connect } from 'node:net'

/** What came back over a socket until the server closed it. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly text: string
}

/**
 * Sends bytes as they are to a port and collects all that comes until the server closes. With
 * `isEnding` the sending side is closed right after them, as `printf … | nc` does.
 */
export function sendRaw(
  port: number,
  bytes: string | Uint8Array,
  { isEnding = false } = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => {
      if (isEnding) socket.end(bytes)
      else socket.write(bytes)
    })
    socket.on('data', (part) => parts.push(Buffer.from(part)))
    socket.on('error', reject)
    socket.on('close', () => resolve(parseAnswer(Buffer.concat(parts).toString('utf8'))))
  })
}

/** The parts of an answer as it came over the socket. */
export function parseAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colonAt = line.indexOf(':')
      return [line.slice(0, colonAt).toLowerCase(), line.slice(colonAt + 1).trim()]
    }),
  )
  return { status: Number(statusLine.split(' ')[1]), headers, body: rest.join('\r\n\r\n'), text }
}
