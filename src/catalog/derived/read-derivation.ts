import { allows, type Principal, requirePermit } from '../../access/index.ts'
import type { StreamReferences } from '../record/stream-rules.ts'
import type {
  Derivation,
  DerivationInput,
  DerivationVariable,
  VariableInput,
} from '../shape/derivation-shape.ts'
import { checkText, NAME_LENGTH_MAX, refuseField } from '../shape/record-checks.ts'
import { STATISTIC_IDS, type StatisticId } from '../shape/statistic-ids.ts'
import type { SourceFinder, SourceStream } from './source-finder.ts'

/** What a derivation is read with. */
export interface ReadingContext {
  readonly finder: SourceFinder
  readonly references: Pick<StreamReferences, 'findCycle'>
  /** Who must be allowed to read the sources; undefined for a template, which has only its own. */
  readonly principal: Principal | undefined
}

/** How a stream is derived by an input: every stream and cycle is found; `field` begins the names in messages. */
export async function readDerivation(
  field: string,
  input: DerivationInput,
  { before, context }: { before: Derivation | null; context: ReadingContext },
): Promise<Derivation> {
  const { expression, trigger = 'ALL', followsCorrections = false } = input
  if (!expression.isWellFormed()) {
    refuseField(`${field}.expression`, 'holds half of a surrogate pair: it is no text')
  }
  const variables: DerivationVariable[] = []
  for (const [at, variable] of (input.variables ?? []).entries()) {
    variables.push(await readVariable(`${field}.variables[${at}]`, variable, { before, context }))
  }
  if (variables.length === 0) {
    refuseField(`${field}.variables`, 'is empty: a formula that reads no stream would never run')
  }
  return { expression, variables, trigger, followsCorrections }
}

async function readVariable(
  field: string,
  input: VariableInput,
  { before, context }: { before: Derivation | null; context: ReadingContext },
): Promise<DerivationVariable> {
  const { name, offset = 0 } = input
  checkText(`${field}.name`, name, NAME_LENGTH_MAX)
  if (name.trim() === '')
    refuseField(`${field}.name`, 'is blank: give it the name that the formula uses')
  const cycle = await readCycle(field, input, { before, context })
  return { name, ...(await readSource(field, input, { before, context })), offset, ...cycle }
}

type SourceReference = Pick<DerivationVariable, 'componentUid' | 'streamUid' | 'streamId'>

async function readSource(
  field: string,
  input: VariableInput,
  { before, context }: { before: Derivation | null; context: ReadingContext },
): Promise<SourceReference> {
  const { finder, principal } = context
  const { componentUid: uid = '', componentId: id = '', streamUid = '', streamId = '' } = input
  if (streamUid === '' && streamId === '') {
    refuseField(`${field}.streamId`, 'is missing: name the stream that the variable reads')
  }
  if (principal === undefined) return await readOwn(field, input, finder)
  // What was there before may be sent back, even if it has been deleted since.
  const kept = before?.variables.find((known) => streamUid !== '' && known.streamUid === streamUid)
  const componentUid = finder.componentUidOf({ uid, id })
  const found = componentUid === undefined ? undefined : await findSource(componentUid)
  if (found === undefined) {
    if (kept !== undefined) return reference(kept.componentUid, kept.streamUid)
    if (uid !== '' || id !== '') requirePermit(principal, 'component/*/feed', 'GET')
    if (componentUid === undefined) {
      refuseField(
        `${field}.componentId`,
        `${shown(id || uid)} is no component of this organization`,
      )
    }
    refuseField(
      `${field}.streamId`,
      `${shown(streamId || streamUid)} is no stream of its component`,
    )
  }
  return reference(componentUid ?? '', found.uid)

  /** By UID, else by ID: copies of a component have the UIDs of another. */
  async function findSource(component: string): Promise<SourceStream | undefined> {
    const [byUid, byId] = [
      await finder.byUid(component, streamUid),
      await finder.byId(component, streamId),
    ]
    if (byUid !== undefined && streamId !== '' && byUid.uid !== byId?.uid) {
      const what = `${shown(streamId)} is not the stream that streamUid names: leave one of them out`
      refuseField(`${field}.streamId`, what)
    }
    return byUid ?? byId
  }
}

/** A source of a template: streams of the template, by ID alone. */
async function readOwn(
  field: string,
  input: VariableInput,
  finder: SourceFinder,
): Promise<SourceReference> {
  const { componentUid = '', componentId = '', streamUid = '', streamId = '' } = input
  if (componentUid !== '' || componentId !== '') {
    const what = 'must be blank: formulas of a template read streams of the component made from it'
    refuseField(`${field}.componentId`, what)
  }
  if (streamUid !== '' || (await finder.byId('', streamId)) === undefined) {
    const what = `${shown(streamId || streamUid)} is no stream of this template: name one by its ID`
    refuseField(`${field}.streamId`, what)
  }
  return { componentUid: '', streamUid: '', streamId }
}

function reference(componentUid: string, streamUid: string): SourceReference {
  return { componentUid, streamUid, streamId: '' }
}

async function readCycle(
  field: string,
  input: VariableInput,
  { before, context }: { before: Derivation | null; context: ReadingContext },
): Promise<Pick<DerivationVariable, 'cycleUid' | 'cycleId' | 'stat'>> {
  const { cycleUid: uid = '', cycleId: id = '' } = input
  const stat = readStatistic(field, input.stat ?? '')
  if (uid === '' && id === '') {
    if (stat === '') return { cycleUid: '', cycleId: '', stat }
    refuseField(`${field}.cycleId`, 'is missing: a statistic needs the cycle of its periods')
  }
  if (stat === '') {
    refuseField(
      `${field}.stat`,
      `is missing: of a cycle one of ${STATISTIC_IDS.join(', ')} is taken`,
    )
  }
  const kept = before?.variables.find((known) => uid !== '' && known.cycleUid === uid)
  if (kept !== undefined) return { cycleUid: kept.cycleUid, cycleId: kept.cycleId, stat }
  const cycle = await context.references.findCycle(uid === '' ? { id } : { uid })
  if (cycle === undefined) {
    refuseField(`${field}.cycleId`, `${shown(id || uid)} is no cycle of this organization`)
  }
  return { cycleUid: cycle.uid, cycleId: cycle.id, stat }
}

function readStatistic(field: string, given: string): StatisticId | '' {
  if (given === '') return ''
  const known = STATISTIC_IDS.find((id) => id === given.toLowerCase())
  if (known !== undefined) return known
  return refuseField(`${field}.stat`, `${shown(given)} must be one of ${STATISTIC_IDS.join(', ')}`)
}

/** Refuses unless the caller may read the samples of a source. */
export function requireReadable(
  principal: Principal | undefined,
  source: SourceStream,
  field: string,
): void {
  if (principal === undefined) return
  const resource = `component/${source.componentUid}/stream/${source.uid}/feed`
  if (!allows(principal, resource, 'GET')) {
    requirePermit(principal, resource, 'GET', `the feed of the stream that ${field} names`)
  }
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 60))
}
