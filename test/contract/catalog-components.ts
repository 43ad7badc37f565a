/** Components and streams as the contract suites of the catalog write them. */
import { newComponentUid } from '../../src/base/index.ts'
import type {
  ComponentFields,
  CreateComponents,
  PutComponent,
  PutStream,
  StreamDefinition,
  StreamFields,
} from '../../src/store/index.ts'

/** A stream of decimal numbers without an interval. */
export const PLAIN: StreamDefinition = {
  streamKind: 1,
  valueCode: 2,
  isDerived: false,
  hasDeleteProfile: false,
  grid: '',
  more: {},
}

const common: CreateComponents['common'] = {
  folder: '',
  timeZone: 'Europe/Zurich',
  createdAtMs: 1_700_000_000_000,
  owner: { uid: 'u', name: 'Zoë' },
  more: {},
}

/** The fields of a component, as by default but for some. */
export function componentFields(id: string, more: Partial<ComponentFields> = {}): ComponentFields {
  return { ...common, id, name: id, lastOrdinal: 0, addressedAs: [], ...more }
}

/** The fields of a stream, as by default but for some. */
export function streamFields(id: string, more: Partial<StreamFields> = {}): StreamFields {
  return { ...PLAIN, id, name: id, order: 0, ...more }
}

export function putComponent(
  uid: string,
  fields: ComponentFields,
  more: Partial<PutComponent> = {},
): PutComponent {
  const key = { orgUid: 'org', kind: 'component', uid } as const
  return { op: 'put_component', ...key, ...fields, expectedRevision: 0, ...more }
}

export function putStream(
  uid: string,
  fields: StreamFields & { readonly componentUid: string },
  more: Partial<PutStream> = {},
): PutStream {
  const key = { orgUid: 'org', kind: 'stream', uid } as const
  return { op: 'put_stream', ...key, ...fields, expectedRevision: 0, ...more }
}

/** A component for each ID, each with streams of the IDs behind it. */
export function createOf(
  each: readonly (readonly [id: string, streamIds: readonly string[]])[],
  more: Partial<CreateComponents> = {},
): CreateComponents {
  const uids = each.map(() => newComponentUid())
  const streamIds = each.flatMap(([, ids]) => ids)
  return {
    op: 'create',
    orgUid: 'org',
    kind: 'component',
    uid: uids[0],
    expectedRevision: 0,
    uids,
    ids: each.map(([id]) => id),
    common,
    streamCounts: each.map(([, ids]) => ids.length),
    streamIds,
    definitions: [PLAIN],
    definitionOf: streamIds.map(() => 0),
    ...more,
  }
}
