/** The groups of operations, in the order of the page: what devices and readers call comes first. */
const TAGS = {
  feed: 'Samples in and out of streams, last values and statistics.',
  files: 'Files as samples of a stream.',
  property: 'Name and description of a component, by its ID.',
  component: 'Components and their streams, by UID.',
  component_template: 'What new components and streams are made from.',
  component_folder: 'Folders of components.',
  cycle: 'Calendar rules for statistics and interval streams.',
  unit: 'How values are shown.',
  delete_profile: 'How long samples are kept.',
  expression: 'The language of formulas.',
  query: 'GS SQL: running it, and queries that are saved.',
  job: 'What is derived over history, in the background.',
  connector: 'What other systems send, made into samples by GS SQL.',
  dashboard: 'Boards of charts, gauges, values, tables and texts.',
  connection: 'Databases that imports read.',
  login: 'Sessions of people.',
  session: "The caller's own sessions.",
  second_factor: "The caller's own second factor.",
  invitation: 'What the caller was invited to.',
  organization: 'Organizations hold everything.',
  org_user: 'The people of an organization.',
  api_key: 'What devices and programs call with.',
  oauth: 'Acting for a user without the password: tokens, clients, grants.',
  audit: 'Who did what, and from where.',
  storage: 'What operators are told of the storage.',
  health: 'For whoever watches the service.',
} as const

/** The tags of the description. */
export const tags = Object.entries(TAGS).map(([name, description]) => ({ name, description }))
