import { allows, feedCoverage, type Principal, requirePermit } from '../../access/index.ts'
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
    refuseField(`${field}.expression`, 'contains an unpaired surrogate')
  }
  const variables: DerivationVariable[] = []
  const known = knownVariables(before)
  for (const [at, variable] of (input.variables ?? []).entries()) {
    variables.push(await readVariable(`${field}.variables[${at}]`, variable, { known, context }))
  }
  refuseSharedNames(field, variables)
  if (variables.length === 0) {
    refuseField(`${field}.variables`, 'is empty. A formula must read at least one stream')
  }
  return { expression, variables, trigger, followsCorrections }
}

/** The variables that a record had before: what they name may be sent back, even if it is gone. */
interface KnownVariables {
  readonly names: ReadonlySet<string>
  readonly byStream: ReadonlyMap<string, DerivationVariable>
  readonly byCycle: ReadonlyMap<string, DerivationVariable>
}

function knownVariables(before: Derivation | null): KnownVariables {
  const variables = before?.variables ?? []
  return {
    names: new Set(variables.map(({ name }) => name)),
    byStream: new Map(variables.map((one) => [one.streamUid, one])),
    byCycle: new Map(variables.map((one) => [one.cycleUid, one])),
  }
}

interface VariableContext {
  readonly known: KnownVariables
  readonly context: ReadingContext
}

/** Refuses two variables of one name, at the later one: formulas find them in any capitals. */
function refuseSharedNames(field: string, variables: readonly DerivationVariable[]): void {
  const places = new Map<string, number>()
  for (const [at, { name }] of variables.entries()) {
    const key = name.toLowerCase()
    const other = places.get(key)
    if (other !== undefined) {
      const what = `is also the name of variables[${other}] (names are case-insensitive). Rename one`
      refuseField(`${field}.variables[${at}].name`, `${shown(name)} ${what}`)
    }
    places.set(key, at)
  }
}

async function readVariable(
  field: string,
  input: VariableInput,
  { known, context }: VariableContext,
): Promise<DerivationVariable> {
  const { name, offset = 0 } = input
  checkText(`${field}.name`, name, NAME_LENGTH_MAX)
  if (name.trim() === '')
    refuseField(`${field}.name`, 'is blank. Enter the name used in the formula')
  await refuseKeyword(`${field}.name`, name, known)
  const cycle = await readCycle(field, input, { known, context })
  return { name, ...(await readSource(field, input, { known, context })), offset, ...cycle }
}

/** Refuses names that a formula takes for words of its language, unless the record has them already. */
async function refuseKeyword(
  field: string,
  name: string,
  { names }: KnownVariables,
): Promise<void> {
  if (names.has(name)) return
  // Loaded by the first who saves a formula: a service that calculates nothing needs no parser.
  const { EXPRESSION_KEYWORDS } = await import('../../expression/index.ts')
  if (EXPRESSION_KEYWORDS.has(name.toUpperCase())) {
    const what = 'is a keyword (in any case). Choose another name'
    refuseField(field, `${shown(name)} ${what}`)
  }
}

type SourceReference = Pick<DerivationVariable, 'componentUid' | 'streamUid' | 'streamId'>

async function readSource(
  field: string,
  input: VariableInput,
  { known, context }: VariableContext,
): Promise<SourceReference> {
  const { finder, principal } = context
  const { componentUid: uid = '', componentId: id = '', streamUid = '', streamId = '' } = input
  if (streamUid === '' && streamId === '') {
    refuseField(`${field}.streamId`, 'is missing. Choose the stream that the variable reads')
  }
  if (principal === undefined) return await readOwn(field, input, finder)
  const author = principal
  // What was there before may be sent back, even if it has been deleted since.
  const kept = streamUid === '' ? undefined : known.byStream.get(streamUid)
  const componentUid = finder.componentUidOf({ uid, id })
  const found = componentUid === undefined ? undefined : await findSource(componentUid)
  if (found === undefined) {
    if (kept !== undefined) return reference(kept.componentUid, kept.streamUid)
    // What a caller may not see is answered as what is not there.
    if (!seesComponent(principal, componentUid)) {
      requirePermit(principal, 'component/*/feed', 'GET')
      refuseField(
        `${field}.${id === '' && uid !== '' ? 'componentUid' : 'componentId'}`,
        `${shown(id || uid)} is not a component of this organization`,
      )
    }
    refuseField(
      `${field}.${streamId === '' ? 'streamUid' : 'streamId'}`,
      `${shown(streamId || streamUid)} is not a stream of its component`,
    )
  }
  return reference(componentUid ?? '', found.uid)

  /** By UID, else by ID: copies of a component have the UIDs of another. */
  async function findSource(component: string): Promise<SourceStream | undefined> {
    const [byUid, byId] = [
      ifSeen(author, await finder.byUid(component, streamUid)),
      ifSeen(author, await finder.byId(component, streamId)),
    ]
    if (byUid !== undefined && streamId !== '' && byUid.uid !== byId?.uid) {
      const what = `${shown(streamId)} is not the stream of streamUid. Remove one of them`
      refuseField(`${field}.streamId`, what)
    }
    return byUid ?? byId
  }
}

/** Whether a caller may know that a component is there, '' being the one that is saved. */
function seesComponent(principal: Principal, uid: string | undefined): boolean {
  if (uid === undefined || uid === '') return uid === ''
  const hasRecord = allows(principal, `component/${uid}`, 'GET')
  return hasRecord || feedCoverage(principal, uid, 'GET') !== 'none'
}

/** A stream if the caller may know of it: by its record or by its samples. */
function ifSeen(principal: Principal, source: SourceStream | undefined): SourceStream | undefined {
  if (source === undefined) return undefined
  const resource = `component/${source.componentUid}/stream/${source.uid}`
  const isSeen = allows(principal, resource, 'GET') || allows(principal, `${resource}/feed`, 'GET')
  return isSeen ? source : undefined
}

/** A source of a template: streams of the template, by ID alone. */
async function readOwn(
  field: string,
  input: VariableInput,
  finder: SourceFinder,
): Promise<SourceReference> {
  const { componentUid = '', componentId = '', streamUid = '', streamId = '' } = input
  if (componentUid !== '' || componentId !== '') {
    const what = 'must be blank. Formulas of a template can read only streams of the same component'
    refuseField(`${field}.componentId`, what)
  }
  if (streamUid !== '' || (await finder.byId('', streamId)) === undefined) {
    const what = `${shown(streamId || streamUid)} is not a stream of this template. Use the ID of one`
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
  { known, context }: VariableContext,
): Promise<Pick<DerivationVariable, 'cycleUid' | 'cycleId' | 'stat'>> {
  const { cycleUid: uid = '', cycleId: id = '' } = input
  const stat = readStatistic(field, input.stat ?? '')
  if (uid === '' && id === '') {
    if (stat === '') return { cycleUid: '', cycleId: '', stat }
    refuseField(`${field}.cycleId`, 'is missing. A statistic needs a cycle')
  }
  if (stat === '') {
    refuseField(`${field}.stat`, `is missing. A cycle needs one of ${STATISTIC_IDS.join(', ')}`)
  }
  const kept = uid === '' ? undefined : known.byCycle.get(uid)
  if (kept !== undefined) return { cycleUid: kept.cycleUid, cycleId: kept.cycleId, stat }
  const cycle = await context.references.findCycle(uid === '' ? { id } : { uid })
  if (cycle === undefined) {
    refuseField(`${field}.cycleId`, `${shown(id || uid)} is not a cycle of this organization`)
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
