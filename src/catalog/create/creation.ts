import { isUid, newOrderedUid, nextIteration, refuse } from '../../base/index.ts'
import type { CatalogWrite, JsonValue, Labels, StreamDefinition } from '../../store/index.ts'
import { checkBaseCycle } from '../../time/index.ts'
import { bindSources } from '../derived/bind-sources.ts'
import {
  type CatalogBase,
  folderWrites,
  referencesOf,
  usesOfStream,
} from '../documents/catalog-base.ts'
import { useWrites } from '../documents/record-uses.ts'
import { definitionOf } from '../record/cycle-record.ts'
import type { SimpleRecords } from '../record/simple-records.ts'
import type { TemplateBody } from '../record/template.ts'
import { componentFieldsOf } from '../shape/component-shape.ts'
import { ROOT_FOLDER, readFolder } from '../shape/folder-path.ts'
import { packGrid } from '../shape/interval-grid.ts'
import { defaultStream, definitionOfStream, type StreamBody } from '../shape/stream-shape.ts'
import type { CreationRules } from './creation-plan.ts'
import { type CommonFields, commonFieldsOf, NewComponents } from './new-components.ts'

/** Streams of a template that are read before others get a turn: about a millisecond. */
const STREAMS_PER_STEP = 500

/** What creation needs of the catalog. */
export interface CreationDeps {
  readonly base: CatalogBase
  readonly templates: SimpleRecords<TemplateBody>
  /** Streams that one call may create. */
  readonly createMax: number
}

/** A stream that a template brings. */
interface TemplateStream {
  readonly id: string
  readonly name: string
  readonly definition: StreamDefinition
  readonly labels: Labels | undefined
  readonly derivation: StreamBody['derivation']
}

/** What components that are made by the same rules have in common. */
export interface NewKind {
  readonly common: CommonFields
  readonly streams: readonly TemplateStream[]
}

/** The definition of streams that a call only names. */
export const PLAIN = definitionOfStream({ ...defaultStream, grid: '' })

/**
 * One attempt of a call to create components and streams. It gathers what is to be written, and looks up once what
 * components and streams of the call have in common.
 */
export class CreationAttempt {
  readonly deps: CreationDeps
  readonly orgUid: string
  /** The components that are created. */
  readonly components: NewComponents
  /** Everything else that the commit writes: folders, marks of records in use, streams of components that exist. */
  readonly writes: CatalogWrite[] = []
  /** Whether nobody else adds streams to the components of the call meanwhile. */
  readonly isLocked: boolean
  readonly #kinds = new Map<string, NewKind>()
  readonly #definitions = new Map<string, StreamDefinition>()
  readonly #folders = new Set<string>()

  constructor(deps: CreationDeps, orgUid: string, isLocked: boolean) {
    this.deps = deps
    this.orgUid = orgUid
    this.isLocked = isLocked
    this.components = new NewComponents(orgUid)
  }

  /** What a component has that is made by rules; a promise where that is not known yet. */
  kindOf({ compTmplId, folder }: CreationRules): NewKind | Promise<NewKind> {
    const isPlain = compTmplId === undefined && folder === undefined
    const key = isPlain ? '' : JSON.stringify([compTmplId, folder])
    return this.#kinds.get(key) ?? this.#readKind({ key, compTmplId, folder })
  }

  async #readKind(of: Pick<CreationRules, 'compTmplId' | 'folder'> & { readonly key: string }) {
    const { key, compTmplId, folder } = of
    const template = await this.#findTemplate('compTmplId', compTmplId)
    const path = readFolder('folder', folder ?? ROOT_FOLDER)
    const { people, clock } = this.deps.base
    const { uid, name, timeZoneId } = await people.ownerOf(this.orgUid)
    const fields = componentFieldsOf({
      id: '',
      name: '',
      description: template?.description ?? '',
      folder: path,
      timeZoneId: template?.timeZoneId || timeZoneId,
      creationDate: clock.now(),
      ownerUser: { uid, name },
      location: template?.location ?? null,
      mainStream: '',
      template: template?.id,
      lastOrdinal: 0,
      addressedAs: [],
    })
    await this.#makeFolders(path)
    const streams: TemplateStream[] = []
    for (const { uid: _, ...body } of template?.stream ?? []) {
      if (streams.length % STREAMS_PER_STEP === STREAMS_PER_STEP - 1) await nextIteration()
      const definition = await this.#define(body, fields.timeZone)
      const { id, name: streamName, labels, derivation = null } = body
      streams.push({ id, name: streamName, definition, labels, derivation })
    }
    const kind = { common: commonFieldsOf(fields), streams }
    this.#kinds.set(key, kind)
    return kind
  }

  /** How streams are made that a call names; a promise where that is not known yet. */
  definitionOf(
    rules: CreationRules,
    timeZone: string,
  ): StreamDefinition | Promise<StreamDefinition> {
    const { dtId, dsId, deleteProfile } = rules
    if (dtId === undefined) {
      return deleteProfile === undefined ? PLAIN : this.#expiring(deleteProfile)
    }
    const key = JSON.stringify([timeZone, dtId, dsId])
    return this.#definitions.get(key) ?? this.#readDefinition({ key, dtId, dsId, timeZone })
  }

  /** How streams are made that have a delete profile and nothing else. */
  #expiring(profile: string): StreamDefinition | Promise<StreamDefinition> {
    const key = JSON.stringify([profile])
    return this.#definitions.get(key) ?? this.#readExpiring(key, profile)
  }

  async #readExpiring(key: string, profile: string): Promise<StreamDefinition> {
    const { orgUid } = this
    const { deleteProfiles } = this.deps.base
    const byUid = isUid(profile) ? await deleteProfiles.find(orgUid, profile) : undefined
    const found = byUid ?? (await deleteProfiles.findById(orgUid, profile))
    if (found === undefined) {
      const shown = profile.slice(0, 60)
      refuse('bad_input', { what: `Cannot find the delete profile "${shown}" of the address rule` })
    }
    const body = { ...defaultStream, delete_profile: { uid: found.uid } }
    const definition = await this.#define(body, 'UTC')
    this.#definitions.set(key, definition)
    return definition
  }

  async #readDefinition(of: {
    readonly key: string
    readonly dtId: string
    readonly dsId: string | undefined
    readonly timeZone: string
  }): Promise<StreamDefinition> {
    const { key, dtId, dsId, timeZone } = of
    const template = await this.#findTemplate('dtId', dtId)
    const stream = template?.stream.find(({ id }) => id !== '' && id === dsId)
    if (stream === undefined) {
      const what = `Cannot find stream "${dsId}" (dsId) in template "${dtId}"`
      return refuse('template_not_found', { what })
    }
    if (stream.streamDerivationType !== 'NONE') {
      const what = `Stream "${dsId}" (dsId) is derived by an expression. It can be created only with its whole template`
      refuse('bad_input', { what })
    }
    const definition = await this.#define(stream, timeZone)
    this.#definitions.set(key, definition)
    return definition
  }

  /** Finds a template of a call's parameter; refuses one that does not exist. */
  async #findTemplate(field: string, id: string | undefined): Promise<TemplateBody | undefined> {
    if (id === undefined) return undefined
    const template = await this.deps.templates.findById(this.orgUid, id)
    if (template === undefined) {
      refuse('template_not_found', { what: `Cannot find template "${id}" (${field})` })
    }
    return template
  }

  async #makeFolders(path: string): Promise<void> {
    const writes = await folderWrites(this.deps.base, this.orgUid, {
      path,
      makeUid: newOrderedUid,
    })
    for (const write of writes) {
      // Two components of one call may ask for the same missing folder: it is made once.
      const folder = write.op === 'put' ? write.listKey : undefined
      if (folder !== undefined && this.#folders.has(folder)) continue
      if (folder !== undefined) this.#folders.add(folder)
      this.writes.push(write)
    }
  }

  /** The definition of streams that are made by that of a template, in a zone. */
  async #define(defined: StreamBody, timeZone: string): Promise<StreamDefinition> {
    const body = await this.#withoutLostReferences(defined)
    const grid = await this.#gridOf(body, timeZone)
    const uses = usesOfStream(this.deps.base, this.orgUid, { before: undefined, after: body })
    this.writes.push(...useWrites(uses))
    return definitionOfStream({ ...body, grid })
  }

  /** A definition may be older than the rule that nothing in use is deleted: what is gone is left out. */
  async #withoutLostReferences(body: StreamBody): Promise<StreamBody> {
    const { unit, delete_profile: profile } = body
    if (unit === null && profile === null) return body
    const references = referencesOf(this.deps.base, this.orgUid)
    const hasUnit = unit !== null && (await references.hasUnit(unit.uid))
    const hasProfile = profile !== null && (await references.hasDeleteProfile(profile.uid))
    return { ...body, unit: hasUnit ? unit : null, delete_profile: hasProfile ? profile : null }
  }

  async #gridOf({ baseCycle }: StreamBody, timeZone: string): Promise<string> {
    if (baseCycle === null) return ''
    const cycle = await this.deps.base.cycles.find(this.orgUid, baseCycle.uid)
    if (cycle === undefined) {
      const what = `Cannot find cycle "${baseCycle.id}", the base cycle of a stream of the template`
      return refuse('cycle_not_found', { what })
    }
    checkBaseCycle(definitionOf(cycle))
    return packGrid(definitionOf(cycle), timeZone)
  }
}

/** A definition with the sources of its formula, which a template names by their IDs. */
export function withSources(
  { definition, derivation }: Pick<TemplateStream, 'definition' | 'derivation'>,
  uidsById: ReadonlyMap<string, string>,
): StreamDefinition {
  if (derivation === null) return definition
  const bound = bindSources({ ...defaultStream, derivation }, uidsById)
  return { ...definition, more: { ...definition.more, derivation: bound as unknown as JsonValue } }
}

/** Definitions with types, by those without: streams of one type share one object. */
const typedDefinitions = new WeakMap<StreamDefinition, StreamDefinition[]>()

/** A definition that has no type, with one. */
export function withValueCode(definition: StreamDefinition, valueCode: number): StreamDefinition {
  if (valueCode === definition.valueCode) return definition
  const typed = typedDefinitions.getOrInsertComputed(definition, () => [])
  typed[valueCode] ??= { ...definition, valueCode }
  return typed[valueCode]
}
