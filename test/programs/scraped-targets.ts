/** Targets that Prometheus scrapes: values of all kinds, series that end, and a target that fails at times. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { Random } from '../support/random.ts'

const TARGETS = 3
const GAUGES = 12
const VALUES = ['NaN', '+Inf', '-Inf', '0', '-0', '5e-324', '1.7976931348623157e+308'] as const
/** A scrape of ten fails at the last target. */
const FAILURE_SHARE = 0.1

/** Starts the targets; returns their addresses. */
export async function startTargets(t: TestContext, random: Random): Promise<string[]> {
  const starts = Array.from({ length: TARGETS }, (_, at) => startTarget(t, at, random))
  return await Promise.all(starts)
}

async function startTarget(t: TestContext, at: number, random: Random): Promise<string> {
  let scrapes = 0
  const server = createServer((_, reply) => {
    scrapes += 1
    const isFailing = at === TARGETS - 1 && random.next() < FAILURE_SHARE
    reply.writeHead(isFailing ? 503 : 200, { 'Content-Type': 'text/plain; version=0.0.4' })
    reply.end(isFailing ? '' : metricsText(scrapes, random))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

function metricsText(scrapes: number, random: Random): string {
  const lines = ['# HELP calls_total All calls.', '# TYPE calls_total counter']
  for (const method of ['GET', 'PUT']) lines.push(`calls_total{method="${method}"} ${scrapes}`)
  lines.push('# HELP level A "level"\\nof many kinds.', '# TYPE level gauge')
  for (let gauge = 0; gauge < GAUGES; gauge++) {
    // A series that is not there any more gets a stale marker.
    if (random.integer(0, 4) === 0) continue
    lines.push(`level{gauge="${gauge}",place="hall \\"ä\\\\"} ${valueText(random)}`)
  }
  lines.push('# TYPE wait_seconds histogram')
  for (const [bound, share] of [
    ['0.5', 2],
    ['+Inf', 1],
  ] as const) {
    lines.push(`wait_seconds_bucket{le="${bound}"} ${Math.floor(scrapes / share)}`)
  }
  lines.push(`wait_seconds_sum ${scrapes / 3}`, `wait_seconds_count ${scrapes}`)
  return `${lines.join('\n')}\n`
}

function valueText(random: Random): string {
  if (random.integer(0, 4) === 0) return random.pick(VALUES)
  return String(random.integer(-(2 ** 30), 2 ** 30) / 1_000)
}
