/** Reads and checks how streams are derived, once all streams of a save are known. */
import { isDeepStrictEqual } from 'node:util'
import { allows } from '../../access/index.ts'
import { invariant, Pacer } from '../../base/index.ts'
import type { CatalogWrite } from '../../store/index.ts'
import { WORK_PER_SLICE, WORK_PER_STREAM, workOfStream } from '../documents/stream-work.ts'
import type { DerivationInput } from '../shape/derivation-shape.ts'
import { refuseField } from '../shape/record-checks.ts'
import { streamKindOf } from '../shape/stream-kind.ts'
import type { PlacedStreamBody } from '../shape/stream-shape.ts'
import { ANCESTORS_MAX, LoopFinder } from './find-loop.ts'
import { type ReadingContext, readDerivation, requireReadable } from './read-derivation.ts'
import { resultType } from './result-type.ts'
import type { DraftStream, SourceStream, StreamReads } from './source-finder.ts'
import { readingOf } from './variable-reading.ts'

/** A loop of more streams is named by its first stream. */
const LOOP_NAMED_MAX = 20

/** A stream of a save, and what its input says about how it is derived. */
export interface DerivedDraft extends DraftStream {
  /** Begins the names of its fields in messages. */
  readonly field: string
  readonly input: DerivationInput | null | undefined
  /** The stream before the save. */
  readonly before: PlacedStreamBody | undefined
}

/** What the streams of a save are checked with. */
interface SettleContext extends ReadingContext {
  readonly orgUid: string
  /** The zone of dates where a formula names none. */
  readonly timeZone: string
}

/** The bodies of a save's streams with their derivations, and what its commit makes sure of. */
interface Settled {
  readonly bodies: readonly PlacedStreamBody[]
  readonly writes: readonly CatalogWrite[]
}

/**
 * Settles how the streams of a save are derived; refuses, naming the field, what cannot be. Its writes
 * expect the sources as they were looked at, so that two saves at once cannot make a loop.
 */
export async function settleDerivations(
  context: SettleContext,
  drafts: readonly DerivedDraft[],
): Promise<Settled> {
  if (!drafts.some(isDerived)) return { bodies: drafts.map(({ body }) => body), writes: [] }
  const changed = new Map<string, DerivedDraft>()
  const settled = new Map<string, PlacedStreamBody>()
  const note = (draft: DerivedDraft, body: PlacedStreamBody): void => {
    settled.set(draft.uid, body)
    context.finder.replace({ uid: draft.uid, body })
  }
  const pacer = new Pacer(WORK_PER_SLICE)
  for (const draft of drafts.filter(isDerived)) {
    await pacer.spend(WORK_PER_STREAM)
    const body = await withDerivation(context, draft)
    note(draft, body)
    if (needsCheck(context, draft, body)) changed.set(draft.uid, draft)
  }
  const loops = new LoopFinder(context.finder)
  for (const draft of changed.values()) await refuseLoop(context, draft, loops)
  const typed = new Set<string>()
  const typeOne = async (draft: DerivedDraft): Promise<void> => {
    if (typed.has(draft.uid)) return
    typed.add(draft.uid)
    const body = settled.get(draft.uid)
    invariant(body !== undefined, `stream ${draft.uid} is not settled`)
    // The type of a stream of the same save may come from its own formula.
    for (const { uid } of await sourcesOf(context, body)) {
      const source = changed.get(uid)
      if (source !== undefined) await typeOne(source)
    }
    await pacer.spend(workOfStream(body.derivation))
    note(draft, await withType(context, draft, body))
  }
  for (const draft of changed.values()) await typeOne(draft)
  return {
    bodies: drafts.map((draft) => settled.get(draft.uid) ?? draft.body),
    writes: loops.streams.flatMap((source) => expectWrite(context.orgUid, source)),
  }
}

function isDerived({ body }: DraftStream): boolean {
  return body.streamDerivationType !== 'NONE'
}

function needsCheck(
  { principal }: SettleContext,
  { before }: DerivedDraft,
  body: PlacedStreamBody,
): boolean {
  if (body.derivation === null) return false
  // Streams of a template that a formula reads may be taken out of it.
  if (principal === undefined) return true
  if (before === undefined || before.valueType !== body.valueType) return true
  return !isDeepStrictEqual(before.derivation, body.derivation)
}

function expectWrite(orgUid: string, { uid, revision }: StreamReads): CatalogWrite[] {
  if (revision === 0) return []
  return [{ op: 'expect', orgUid, kind: 'stream', uid, expectedRevision: revision }]
}

async function withDerivation(
  context: SettleContext,
  { field, input, before, body }: DerivedDraft,
): Promise<PlacedStreamBody> {
  if (input == null) return body
  const known = before?.derivation ?? null
  const named = { before: known, context }
  return { ...body, derivation: await readDerivation(`${field}.derivation`, input, named) }
}

async function refuseLoop(
  context: SettleContext,
  draft: DerivedDraft,
  loops: LoopFinder,
): Promise<void> {
  const { finder, principal } = context
  const loop = await loops.find(draft.uid)
  if (loop === undefined) return
  const field = `${draft.field}.derivation.variables`
  if (loop === 'too_many') {
    refuseField(field, `depend on more than ${ANCESTORS_MAX} streams. Use fewer`)
  }
  const names: string[] = []
  for (const uid of loop.slice(0, LOOP_NAMED_MAX)) {
    const stream = await finder.stream(uid)
    const resource = `component/${stream?.componentUid}/stream/${uid}`
    const isSeen = principal === undefined || allows(principal, resource, 'GET')
    names.push(isSeen && stream ? finder.nameOf(stream) : 'a stream that you cannot access')
  }
  const shown = loop.length <= LOOP_NAMED_MAX ? names : [...names, '…', names[0]]
  refuseField(field, `make a loop, where each is derived from the next: ${shown.join(' → ')}`)
}

async function sourcesOf(
  { finder }: SettleContext,
  { derivation }: PlacedStreamBody,
): Promise<SourceStream[]> {
  const sources: SourceStream[] = []
  for (const variable of derivation?.variables ?? []) {
    const source = await finder.sourceOf(variable)
    if (source !== undefined) sources.push(source)
  }
  return sources
}

/** The stream with the type that its formula gives it; refuses sources and formulas that do not fit. */
async function withType(
  context: SettleContext,
  { field }: DerivedDraft,
  body: PlacedStreamBody,
): Promise<PlacedStreamBody> {
  const { derivation, grid } = body
  invariant(derivation !== null, 'only derived streams get the type of a formula')
  const kind = streamKindOf(body.streamType)
  const variables: Parameters<typeof typeOfFormula>[1][number][] = []
  for (const [at, variable] of derivation.variables.entries()) {
    const place = `${field}.derivation.variables[${at}]`
    const source = await context.finder.sourceOf(variable)
    if (source === undefined) refuseField(`${place}.streamId`, 'refers to a deleted stream')
    requireReadable(context.principal, source, place)
    const reading = readingOf({ kind, grid }, source, variable.stat)
    if (typeof reading === 'string') refuseField(place, reading)
    variables.push({ name: variable.name, type: reading.type })
  }
  const text = derivation.expression
  const of = { field: `${field}.derivation.expression`, timeZoneId: context.timeZone }
  const type = resultType(body.valueType, await typeOfFormula(text, variables, of))
  if (typeof type === 'string') refuseField(`${field}.valueType`, type)
  return { ...body, valueType: type.valueType }
}

type Language = typeof import('../../expression/index.ts')
type Checked = ReturnType<Language['checkExpression']>

/** What a formula gives; refuses a mistake with its place. */
async function typeOfFormula(
  text: string,
  variables: Checked['variables'],
  { field, timeZoneId }: { readonly field: string; readonly timeZoneId: string },
): Promise<Checked['type']> {
  // Loaded by the first who saves a formula: a service that calculates nothing needs no parser.
  const language = await import('../../expression/index.ts')
  try {
    return language.checkExpression(text, { variables, timeZoneId }).type
  } catch (error) {
    if (!(error instanceof language.ExpressionError)) throw error
    const { line, column, message, pointer } = error
    refuseField(
      field,
      `has an error in line ${line}, column ${column}: ${message}
${pointer}`,
    )
  }
}
