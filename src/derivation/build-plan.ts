/** From the records of a derived stream and its sources to a plan, or the reason why there is none. */
import { type Catalog, readingOf, resultType, type StreamIndex } from '../catalog/index.ts'
import { cycleOfGrid, INTERVAL, type StatisticId, type StreamKind } from '../catalog/shape/index.ts'
import type { CheckedExpression } from '../expression/index.ts'
import { factsOf } from '../feed/index.ts'
import { compiledCycle } from '../feed/statistic/index.ts'
import type { StreamHandle } from '../store/index.ts'
import type { CycleDefinition } from '../time/index.ts'
import type { DerivationPlan, PlanProblem, PlanVariable } from './derivation-plan.ts'

type StreamRecord = NonNullable<Awaited<ReturnType<Catalog['describeDerived']>>>

/** A source as its records describe it. */
interface SourceDocument {
  readonly uid: string
  readonly revision: number
  readonly handle: StreamHandle
  readonly rollupMethod: StreamRecord['rollupMethod']
  /** The zone of its component. */
  readonly timeZone: string
  readonly window: { readonly definition: CycleDefinition; readonly stat: StatisticId } | undefined
}

/** The records that a plan is made of. */
export interface PlanDocuments {
  readonly handle: StreamHandle
  readonly stream: Pick<StreamRecord, 'uid' | 'revision' | 'valueType' | 'leftAlone'> & {
    readonly derivation: NonNullable<StreamRecord['derivation']>
  }
  readonly timeZone: string
  /** One for each variable. */
  readonly sources: readonly SourceDocument[]
}

/** Reads what a plan is made of; a problem where something is gone. */
export async function readPlanDocuments(
  catalog: Catalog,
  handle: StreamHandle,
): Promise<PlanDocuments | PlanProblem> {
  const { index } = catalog
  const stream = await catalog.describeDerived(handle)
  if (stream === undefined || !index.has(handle)) return { problem: 'the stream was deleted' }
  const { derivation } = stream
  if (derivation === undefined) return { problem: 'the stream has no formula. Save it with one' }
  const { orgUid, timeZone } = index.componentOf(handle)
  const sources = await readSources(catalog, orgUid, derivation.variables)
  if ('problem' in sources) return sources
  return { handle, stream: { ...stream, derivation }, timeZone, sources }
}

/** Reads what variables stand for; a problem where something is gone. */
export async function readSources(
  catalog: Catalog,
  orgUid: string,
  variables: PlanDocuments['stream']['derivation']['variables'],
): Promise<readonly SourceDocument[] | PlanProblem> {
  const { index } = catalog
  const sources: SourceDocument[] = []
  for (const variable of variables) {
    const uid = variable.streamUid
    const shown = `variable ${JSON.stringify(variable.name)}`
    const found = index.hasLivingUid(uid) ? index.streamByUid(orgUid, uid) : 0
    const record = found === 0 ? undefined : await catalog.describeSource(found)
    // The stream may be deleted while its record is read.
    if (found === 0 || record === undefined || !index.has(found)) {
      return { problem: `${shown} reads a deleted stream. Choose another` }
    }
    const { stat, cycleUid, cycleId } = variable
    const definition = stat === '' ? undefined : await catalog.findCycleByUid(orgUid, cycleUid)
    if (stat !== '' && definition === undefined) {
      return { problem: `${shown} uses the deleted cycle "${cycleId}". Choose another` }
    }
    const { revision, rollupMethod } = record
    const window = stat === '' || definition === undefined ? undefined : { definition, stat }
    const zone = index.componentOf(found).timeZone
    sources.push({ uid, revision, handle: found, rollupMethod, timeZone: zone, window })
  }
  return sources
}

/** Where a derived stream stands, and how its results lie in time. */
interface ResultPlace {
  readonly orgUid: string
  readonly componentUid: string
  readonly kind: StreamKind
  readonly grid: string
}

/** Makes the plan of records that were just read; a problem where types or intervals do not fit. `unsaved` places a stream that has no handle. */
export async function buildPlan(
  index: StreamIndex,
  documents: PlanDocuments,
  unsaved?: ResultPlace,
): Promise<DerivationPlan | PlanProblem> {
  const { handle, stream, timeZone, sources } = documents
  const { expression: text, trigger, followsCorrections } = stream.derivation
  const isSaved = unsaved !== undefined || index.has(handle)
  const isThere = isSaved && sources.every((source) => index.has(source.handle))
  if (!isThere) return { problem: 'the stream or one of its sources was just deleted' }
  const place = unsaved ?? placeOf(index, handle)
  const { orgUid, componentUid } = place
  const cycle = cycleOfGrid(place.grid)
  const variables: PlanVariable[] = []
  for (const [at, { name, offset }] of stream.derivation.variables.entries()) {
    const variable = planVariable(index, place, sources[at])
    if (typeof variable === 'string') {
      return { problem: `variable ${JSON.stringify(name)} ${variable}` }
    }
    variables.push({ name, offset, ...variable })
  }
  const expression = await checkFormula(text, variables, timeZone)
  if ('problem' in expression) return expression
  const type = resultType(stream.valueType, expression.type)
  if (typeof type === 'string') return { problem: `the type ${type}` }
  return {
    handle,
    uid: stream.uid,
    componentUid,
    orgUid,
    result: cycle === undefined ? { kind: 'random' } : { kind: 'interval', cycle },
    valueType: type.valueType,
    variables,
    expression,
    trigger,
    followsCorrections,
    leftAlone: new Map(
      sources.flatMap((source) => {
        const left = stream.leftAlone[source.uid]
        return left === undefined ? [] : [[source.handle, left]]
      }),
    ),
  }
}

function placeOf(index: StreamIndex, handle: StreamHandle): ResultPlace {
  const { orgUid, uid: componentUid } = index.componentOf(handle)
  return { orgUid, componentUid, kind: index.kindOf(handle), grid: index.gridOf(handle) }
}

/** How a variable is read; a text says why it cannot be read. */
function planVariable(
  index: StreamIndex,
  result: ResultPlace,
  source: SourceDocument,
): Omit<PlanVariable, 'name' | 'offset'> | string {
  const { handle, rollupMethod, timeZone, window } = source
  const { kind, valueType, baseCycle } = factsOf(index, handle)
  const read = { kind, valueType, grid: index.gridOf(handle), rollupMethod }
  const reading = readingOf(result, read, window?.stat ?? '')
  if (typeof reading === 'string') return reading
  return {
    handle,
    ...reading,
    source: { kind: kind === INTERVAL ? 'interval' : 'random', valueType, cycle: baseCycle },
    window: window && {
      cycle: compiledCycle(window.definition, timeZone),
      stat: window.stat,
    },
  }
}

async function checkFormula(
  text: string,
  variables: readonly PlanVariable[],
  timeZoneId: string,
): Promise<CheckedExpression | PlanProblem> {
  // Loaded with the first plan: a service without formulas needs no parser.
  const language = await import('../expression/index.ts')
  try {
    return language.checkExpression(text, { variables, timeZoneId })
  } catch (error) {
    if (!(error instanceof language.ExpressionError)) throw error
    const { line, column, message } = error
    return { problem: `the formula does not fit in line ${line}, column ${column}: ${message}` }
  }
}
