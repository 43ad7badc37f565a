/** The page of the documentation that explains a page of the studio. */
interface Guide {
  readonly address: string
  readonly label: string
}

/** By the beginning of the path; the first that matches counts. */
const GUIDES: readonly (readonly [start: string, address: string, label: string])[] = [
  ['/c', '/help/studio#devices', 'Devices and charts'],
  ['/view', '/help/studio#charts', 'Charts'],
  ['/boards', '/help/studio#boards', 'Boards'],
  ['/alerts', '/help/alerts', 'Alerts'],
  ['/query', '/help/gs-sql', 'GS SQL'],
  ['/connect/send', '/help/getting-started', 'Getting started'],
  ['/connect/refused', '/help/influxdb', 'InfluxDB protocols'],
  ['/connect/connections', '/help/imports', 'Imports'],
  ['/connect', '/help/webhooks', 'Webhooks'],
  ['/build/cycle', '/help/statistics', 'Cycles and statistics'],
  ['/build/unit', '/help/api#unit', 'Units'],
  ['/build', '/help/studio#build', 'Build'],
  ['/admin/apps', '/help/oauth', 'OAuth'],
  ['/admin/health', '/help/operations', 'Operations'],
  ['/admin', '/help/people', 'People and keys'],
  ['/account', '/help/people', 'People and keys'],
]

const STUDIO: Guide = { address: '/help/studio', label: 'Studio' }

/** The guide to a path. */
export function guideOf(path: string): Guide {
  const found = GUIDES.find(([start]) => path === start || path.startsWith(`${start}/`))
  return found === undefined ? STUDIO : { address: found[1], label: found[2] }
}
