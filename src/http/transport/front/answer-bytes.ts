import { STATUS_CODES } from 'node:http'

/** A body up to this goes out in one piece with its head; copying it costs less than a second write. */
const JOINED_BYTES_MAX = 16 * 1024

let dateSecond = -1
let dateText = ''

/** The Date header's value, made once a second. */
function httpDate(): string {
  const now = Date.now()
  const second = Math.floor(now / 1_000)
  if (second !== dateSecond) {
    dateSecond = second
    dateText = new Date(now).toUTCString()
  }
  return dateText
}

/** The head of an answer as Node's own server writes it: the headers given, date and connection. */
export function answerHead(
  status: number,
  headers: readonly string[],
  keepAliveSeconds: number | undefined,
): string {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`
  for (let at = 0; at < headers.length; at += 2) text += `${headers[at]}: ${headers[at + 1]}\r\n`
  text += `Date: ${httpDate()}\r\n`
  return keepAliveSeconds === undefined
    ? `${text}\r\n`
    : `${text}Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`
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
