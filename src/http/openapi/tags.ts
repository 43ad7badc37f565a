/** The groups of operations, in the order of the page: what devices and readers call comes first. */
const TAGS = {
  feed: 'Send and read samples, last values, and statistics.',
  influx: 'Write calls of InfluxDB 1, 2, and 3. Every path also exists below /influx.',
  remote_write: 'Prometheus remote write.',
  prometheus:
    'Query API of Prometheus: PromQL, labels, and series. Every path also exists below /prom.',
  opentelemetry: 'Metrics of OpenTelemetry (OTLP over HTTP).',
  files: 'Files as samples of a stream.',
  property: 'Name and description of a component, by its ID.',
  component: 'Components and their streams, by UID.',
  component_template: 'Templates for new components and streams.',
  component_folder: 'Folders of components.',
  cycle: 'Calendar rules for statistics and interval streams.',
  unit: 'Symbols and formats of values.',
  delete_profile: 'Retention of samples.',
  expression: 'Check expressions and list their functions.',
  query: 'Run GS SQL and manage saved queries.',
  job: 'Background recalculation of derived streams.',
  connector: 'Webhooks and imports, which convert data to samples with GS SQL.',
  dashboard: 'Boards with charts, gauges, values, tables, and texts.',
  door: 'What other protocols have brought: streams of series, and points that were refused.',
  channel: 'Channels that deliver alerts: webhooks and email.',
  connection: 'Database connections of imports.',
  login: 'Sign in and out.',
  session: "The caller's own sessions.",
  second_factor: "The caller's own second factor.",
  invitation: 'Invitations of the caller.',
  organization: 'Organizations and their settings.',
  org_user: 'Users of an organization.',
  api_key: 'API keys of devices and programs.',
  oauth: 'OAuth tokens, clients, and grants.',
  audit: 'Audit log.',
  storage: 'State of the storage, for operators.',
  health: 'Health checks and metrics.',
} as const

/** The tags of the description. */
export const tags = Object.entries(TAGS).map(([name, description]) => ({ name, description }))
