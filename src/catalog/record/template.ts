import type { Static } from 'typebox'
import { ID_LENGTH_MAX, newUid, Pacer, STREAMS_PER_RECORD_MAX, Type } from '../../base/index.ts'
import { type DerivedDraft, settleDerivations } from '../derived/settle-derivations.ts'
import { SourceFinder } from '../derived/source-finder.ts'
import { type CatalogBase, referencesOf, usesOfStream } from '../documents/catalog-base.ts'
import { WORK_PER_SLICE, WORK_PER_STREAM } from '../documents/stream-work.ts'
import {
  checkText,
  DESCRIPTION_LENGTH_MAX,
  descriptionShape,
  idShape,
  locationShape,
  mainStreamShape,
  NAME_LENGTH_MAX,
  nameShape,
  readTimeZoneField,
  refuseField,
  revisionShape,
  shapeCheck,
} from '../shape/record-checks.ts'
import {
  defaultStream,
  type Location,
  type StreamBody,
  type StreamInput,
  streamShape,
} from '../shape/stream-shape.ts'
import { type RecordRules, refuseTakenId } from './simple-records.ts'
import { pickLocation, placeStream, readStream } from './stream-rules.ts'

/** What a caller may say about a template; its streams are replaced as a whole. */
export const templateShape = Type.Object({
  id: idShape('The compTmplId or dtId of feed calls'),
  name: nameShape,
  description: descriptionShape,
  timeZoneId: Type.Optional(Type.String({ description: "Blank: the organization owner's" })),
  location: Type.Optional(Type.Union([Type.Null(), locationShape])),
  mainStream: mainStreamShape,
  stream: Type.Optional(Type.Array(streamShape, { maxItems: STREAMS_PER_RECORD_MAX })),
  revision: revisionShape,
})

/** A stream of a template: a definition from which streams are made. */
type TemplateStream = StreamBody & { readonly uid: string }

/** A component template as the catalog keeps it. */
export type TemplateBody = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly timeZoneId: string
  readonly location: Location | null
  /** ID of the stream that lists show of the devices made from it, unless they mark another; '': the first. */
  readonly mainStream: string
  readonly stream: readonly TemplateStream[]
}

/** The rules of component templates. */
export function templateRules(
  base: Pick<CatalogBase, 'cycles' | 'units' | 'deleteProfiles'>,
): RecordRules<TemplateBody> {
  return {
    kind: 'component_template',
    check: shapeCheck('component_template', templateShape),
    read: (input, before, orgUid) => readTemplate(base as CatalogBase, { input, before, orgUid }),
    usesOf: (orgUid, before, after) => {
      const known = streamsByUid(before)
      return after.stream.flatMap((one) =>
        usesOfStream(base, orgUid, { before: known.get(one.uid), after: one }),
      )
    },
    defaults: {
      id: '',
      name: '',
      description: '',
      timeZoneId: '',
      location: null,
      mainStream: '',
      stream: [],
    },
  }
}

function streamsByUid({ stream }: TemplateBody): ReadonlyMap<string, TemplateStream> {
  return new Map(stream.map((one) => [one.uid, one]))
}

async function readTemplate(
  base: CatalogBase,
  edit: { input: Static<typeof templateShape>; before: TemplateBody; orgUid: string },
): Promise<TemplateBody> {
  const { input, before, orgUid } = edit
  const id = input.id ?? before.id
  const name = input.name ?? (before.name || id)
  const description = input.description ?? before.description
  const mainStream = input.mainStream ?? before.mainStream
  const zone = input.timeZoneId ?? before.timeZoneId
  checkText('component_template.name', name, NAME_LENGTH_MAX)
  checkText('component_template.mainStream', mainStream, ID_LENGTH_MAX)
  checkText('component_template.description', description, DESCRIPTION_LENGTH_MAX)
  const timeZoneId = zone === '' ? '' : readTimeZoneField('component_template.timeZoneId', zone)
  const location = input.location === undefined ? before.location : pickLocation(input.location)
  const stream = input.stream === undefined ? before.stream : await readStreams(input.stream)
  return { id, name, description, timeZoneId, location, mainStream, stream }

  /** Their intervals are placed as in the zone of a component, so that they can be compared. */
  async function readStreams(inputs: readonly StreamInput[]): Promise<TemplateStream[]> {
    const references = referencesOf(base, orgUid)
    const timeZone = timeZoneId || 'UTC'
    const drafts: DerivedDraft[] = []
    const ids = new Set<string>()
    const streams = streamsByUid(before)
    const pacer = new Pacer(WORK_PER_SLICE)
    for (const [index, each] of inputs.entries()) {
      await pacer.spend(WORK_PER_STREAM)
      const field = `component_template.stream[${index}]`
      const known = streams.get(each.uid ?? '')
      if (each.uid && known === undefined) {
        refuseField(`${field}.uid`, `"${each.uid.slice(0, 60)}" is not a stream of this template`)
      }
      const body = await readStream(field, each, { before: known ?? defaultStream, references })
      if (body.id !== '' && ids.has(body.id)) refuseTakenId('stream', body.id, `${field}.id`)
      ids.add(body.id)
      const cycle = body.baseCycle === null ? undefined : await references.findCycle(body.baseCycle)
      const placed = (one: StreamBody) => placeStream(one, { order: 0, cycle, timeZone })
      const [uid, input] = [known?.uid ?? newUid(), each.derivation]
      drafts.push({ field, uid, input, body: placed(body), before: known && placed(known) })
    }
    const finder = new SourceFinder(undefined, {
      orgUid,
      componentUid: '',
      componentId: '',
      drafts,
    })
    const context = { orgUid, timeZone, finder, references, principal: undefined }
    const { bodies } = await settleDerivations(context, drafts)
    return bodies.map(({ order: _, grid: __, ...body }, at) => ({ ...body, uid: drafts[at].uid }))
  }
}
