import { STATUS_CODES } from 'node:http'

/** A body up to this goes out in one piece with its head; copying it costs less than a second write. */
const JOINED_BYTES_MAX = 16 * 1024

/** The end of a head, as it is during one second. */
interface HeadEnd {
  readonly second: number
  readonly keepAliveSeconds: number | undefined
  readonly text: string
}

let headEnd: HeadEnd | undefined

/** Date and connection, made once a second: all answers of a service have the same keep-alive. */
function endOf(keepAliveSeconds: number | undefined): string {
  const now = Date.now()
  const second = Math.floor(now / 1_000)
  if (headEnd?.second === second && headEnd.keepAliveSeconds === keepAliveSeconds) {
    return headEnd.text
  }
  const date = `Date: ${new Date(now).toUTCString()}\r\n`
  const text =
    keepAliveSeconds === undefined
      ? `${date}\r\n`
      : `${date}Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`
  headEnd = { second, keepAliveSeconds, text }
  return text
}

/** The head of an answer as Node's own server writes it: the headers given, date and connection. */
export function answerHead(
  status: number,
  headers: readonly string[],
  keepAliveSeconds: number | undefined,
): string {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`
  for (let at = 0; at < headers.length; at += 2) text += `${headers[at]}: ${headers[at + 1]}\r\n`
  return text + endOf(keepAliveSeconds)
}

/** Whether a flat list of names and values has a header of this name, spelled so. */
export function hasHeader(headers: readonly string[], name: string): boolean {
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === name) return true
  return false
}

/** Head and body in one piece, or undefined when the body is better written by itself. */
export function joined(head: string, body: Uint8Array): Buffer | undefined {
  if (body.length > JOINED_BYTES_MAX) return undefined
  const bytes = Buffer.allocUnsafe(head.length + body.length)
  bytes.write(head, 'latin1')
  bytes.set(body, head.length)
  return bytes
}
