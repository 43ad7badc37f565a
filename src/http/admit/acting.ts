import type { FastifyRequest } from 'fastify'
import type { ActingCaller } from '../../auth/index.ts'
import { exchangeOf } from '../transport/exchange.ts'

/** Who acts by a request that the gate let in. */
export function actingIn(request: FastifyRequest): ActingCaller {
  const address = exchangeOf(request.raw)?.address ?? ''
  return { principal: request.principal, address }
}
