import type { FastifyRequest } from 'fastify'
import type { ActingCaller } from '../../auth/administer/index.ts'
import { exchangeOf } from '../transport/exchange.ts'

/** Who acts by a request that the gate let in, with the password and code that the call carries besides. */
export function actingIn(request: FastifyRequest): ActingCaller {
  const address = exchangeOf(request.raw)?.address ?? ''
  const { principal, standing } = request
  return { principal, address, password: passwordOf(request), otp: otpOf(request), standing }
}

/** `currentOtp` in the body, beside the record; else the header. */
function otpOf({ body, headers }: FastifyRequest): string | undefined {
  const given = (body as { currentOtp?: unknown } | null | undefined)?.currentOtp
  const otp = given ?? headers['weir-otp']
  return typeof otp === 'string' ? otp : undefined
}

/** `currentPassword` in the body, beside the record or in it; else the header, for calls without one. */
function passwordOf({ body, headers }: FastifyRequest): string | undefined {
  const record = typeof body === 'object' && body !== null ? Object.values(body) : []
  for (const place of [body, ...record]) {
    const given = (place as { currentPassword?: unknown } | null | undefined)?.currentPassword
    if (typeof given === 'string') return given
  }
  const header = headers['weir-password']
  // Node reads headers as Latin-1; clients write UTF-8.
  return typeof header === 'string' ? Buffer.from(header, 'latin1').toString('utf8') : undefined
}
