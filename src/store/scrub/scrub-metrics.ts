import { DAMAGE_PARTS, type KnownDamage } from './known-damage.ts'
import type { ScrubRunner } from './scrub-runner.ts'

/** What is known of damage and scrubs, in Prometheus' text format. */
export function scrubMetrics(
  damage: KnownDamage,
  scrub: Pick<ScrubRunner, 'state' | 'checkedTotal'>,
): string {
  const { running, last } = scrub.state
  const { items, bytes } = scrub.checkedTotal
  const known = damage.list()
  const countOf = (part: string) => known.filter((finding) => finding.part === part).length
  const byPart = (name: string, count: (part: (typeof DAMAGE_PARTS)[number]) => number) =>
    DAMAGE_PARTS.map((part) => `${name}{part="${part}"} ${count(part)}`)
  const lines = [
    ...head('weir_damaged_items', 'gauge', 'Stored items that are known to be damaged.'),
    ...byPart('weir_damaged_items', countOf),
    ...head('weir_damage_found_total', 'counter', 'Times that a reader or a scrub met damage.'),
    ...byPart('weir_damage_found_total', (part) => damage.foundTotal(part)),
    ...head('weir_scrub_checked_bytes_total', 'counter', 'Bytes that scrubs have read.'),
    `weir_scrub_checked_bytes_total ${bytes}`,
    ...head('weir_scrub_checked_items_total', 'counter', 'Items that scrubs have read.'),
    `weir_scrub_checked_items_total ${items}`,
    ...head('weir_scrub_running', 'gauge', 'Whether a scrub is under way.'),
    `weir_scrub_running ${running === undefined ? 0 : 1}`,
    ...head('weir_scrub_last_time_seconds', 'gauge', 'When the last scrub was through; 0: never.'),
    `weir_scrub_last_time_seconds ${(last?.time ?? 0) / 1_000}`,
  ]
  return `${lines.join('\n')}\n`
}

function head(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
}

/** What /readyz adds while it is ready: how much of each part is damaged, and where to read more. */
export function damageDetails(damage: KnownDamage): string[] {
  const known = damage.list()
  return DAMAGE_PARTS.flatMap((part) => {
    const count = known.filter((finding) => finding.part === part).length
    if (count === 0) return []
    return [`${part}: ${count} damaged, see GET /api/storage or weir check`]
  })
}
