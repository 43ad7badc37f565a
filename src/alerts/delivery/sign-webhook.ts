import { createHmac } from 'node:crypto'

/**
 * The value of `Weir-Signature`: the second of sending, and an HMAC over it and the body. The time lets a receiver
 * reject old requests that somebody sends again.
 */
export function signWebhook(body: string, secret: string, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1_000)
  const hash = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return `t=${seconds},v1=${hash}`
}
