import type { Principal } from '../../access/index.ts'
import { Refusal } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import { componentsInPlace, type PlaceFilter } from '../../feed/index.ts'
import type { AlertState } from '../state/state-documents.ts'
import { type Alert, SEVERITIES } from './alert-shape.ts'
import type { AlertStates } from './alert-states.ts'
import type { Alerts } from './alerts.ts'

/** From this status on an error is not about one list: the whole call fails and can be repeated. */
const WHOLE_FROM = 500

/** Which alerts a list shows. Blank filters leave none out. */
export interface AskedList {
  /** FIRING: streams on which an alert fires. ALL: pending ones and alerts without such streams, too. */
  readonly state: 'FIRING' | 'ALL'
  readonly template: string
  readonly folder: string
  readonly label: string
  readonly limit: number
}

/** An alert on a stream; without a stream where the alert neither fires nor is pending. */
interface BoardAlert {
  readonly alertUid: string
  readonly alertName: string
  readonly severity: Alert['severity']
  readonly state: AlertState
  readonly isMuted: boolean
  readonly isAcknowledged: boolean
  readonly startedMs: number | null
  readonly streamUid: string
  readonly streamId: string
  readonly componentUid: string
  readonly componentId: string
  readonly value: string | null
}

/** A list of alerts, the most serious first. */
export interface BoardList {
  readonly alert: readonly BoardAlert[]
  readonly totalCount: number
  /** Alerts that fire. */
  readonly firingCount: number
  /** Why there is no list; blank where there is one. */
  readonly error: string
}

interface Deps {
  readonly alerts: Alerts
  readonly catalog: Catalog
  readonly alertStates: AlertStates
}

type Rules = Awaited<ReturnType<AlertStates['listRules']>>
type Rule = Rules[number]

/** The lists of a board, from one look at the alerts that the caller may GET. */
export async function listForBoard(
  deps: Deps,
  principal: Principal,
  asked: readonly AskedList[],
): Promise<BoardList[]> {
  if (asked.length === 0) return []
  const known = new Map<AskedList['state'], Rules>()
  const lists: BoardList[] = []
  for (const one of asked) {
    if (one.limit === 0 && isEverywhere(one)) {
      lists.push(await countOf(deps, principal))
      continue
    }
    const onlyIn = one.state === 'ALL' ? undefined : 'FIRING'
    const rules = known.get(one.state) ?? (await deps.alertStates.listRules(principal, onlyIn))
    known.set(one.state, rules)
    lists.push(await listOrProblem(deps, principal, { rules, asked: one }))
  }
  return lists
}

function isEverywhere({ template, folder, label }: AskedList): boolean {
  return template === '' && folder === '' && label === ''
}

/** How many alerts fire, without their streams: of these there may be very many. */
async function countOf({ alerts }: Deps, principal: Principal): Promise<BoardList> {
  const page = { start: 0, limit: 1, state: 'FIRING' } as const
  const { totalCount: firingCount } = await alerts.list(principal, page)
  return { alert: [], totalCount: 0, firingCount, error: '' }
}

interface Question {
  readonly rules: Rules
  readonly asked: AskedList
}

async function listOrProblem(
  deps: Deps,
  principal: Principal,
  question: Question,
): Promise<BoardList> {
  try {
    return await oneList(deps, principal, question)
  } catch (error) {
    if (!(error instanceof Refusal) || error.status >= WHOLE_FROM) throw error
    return { alert: [], totalCount: 0, firingCount: 0, error: error.message }
  }
}

async function oneList(
  deps: Deps,
  principal: Principal,
  { rules, asked }: Question,
): Promise<BoardList> {
  const isMeant = await meantBy(deps, principal, { rules, asked })
  const rows: BoardAlert[] = []
  let firingCount = 0
  for (const rule of rules) {
    const states = rule.states.filter(({ componentUid }) => isMeant.component(componentUid))
    if (states.some(({ state }) => state === 'FIRING')) firingCount += 1
    const shown = asked.state === 'ALL' ? states : states.filter(({ state }) => state === 'FIRING')
    rows.push(...shown.map((state) => rowOf(rule, state)))
    if (asked.state === 'ALL' && states.length === 0 && isMeant.alert(rule)) rows.push(rowOf(rule))
  }
  rows.sort(byUrgency)
  const totalCount = asked.limit === 0 ? 0 : rows.length
  return { alert: rows.slice(0, asked.limit), totalCount, firingCount, error: '' }
}

/** Which components and alerts the filters of a list mean. */
async function meantBy({ catalog }: Deps, principal: Principal, { rules, asked }: Question) {
  const { template, folder, label } = asked
  if (isEverywhere(asked)) {
    return { component: () => true, alert: () => true }
  }
  const wanted = new Set(
    rules
      .flatMap(({ alert, states }) => [...alert.streams, ...states])
      .map((one) => one.componentUid),
  )
  const filter: PlaceFilter = {
    ...(template === '' ? {} : { template }),
    ...(folder === '' ? {} : { folder }),
    ...(label === '' ? {} : { label }),
  }
  const found = await componentsInPlace(catalog, principal, { filter, uids: wanted })
  const ofTemplate =
    template === '' ? undefined : await catalog.templates.findById(principal.orgUid, template)
  return {
    component: (uid: string) => found.has(uid),
    /** Alerts that name streams, or that are on the template or the label itself. */
    alert: ({ alert: { streams, template: its, labels } }: Rule) =>
      streams.some(({ componentUid }) => found.has(componentUid)) ||
      (ofTemplate !== undefined && its?.uid === ofTemplate.uid) ||
      (label !== '' && Object.entries(labels).some((pair) => pair.join('=') === label)),
  }
}

function rowOf({ alert }: Rule, state?: Rule['states'][number]): BoardAlert {
  return {
    alertUid: alert.uid,
    alertName: alert.name || alert.id,
    severity: alert.severity,
    state: state?.state ?? 'OK',
    isMuted: alert.mute !== null,
    isAcknowledged: (state?.acknowledged ?? null) !== null,
    startedMs: state?.startedMs ?? null,
    streamUid: state?.streamUid ?? '',
    streamId: state?.streamId ?? '',
    componentUid: state?.componentUid ?? '',
    componentId: state?.componentId ?? '',
    value: state?.value ?? null,
  }
}

const STATE_RANKS: Readonly<Record<AlertState, number>> = { FIRING: 0, PENDING: 1, OK: 2 }

/** Firing ones first, then the more serious ones, then the newest. */
function byUrgency(one: BoardAlert, other: BoardAlert): number {
  return (
    STATE_RANKS[one.state] - STATE_RANKS[other.state] ||
    SEVERITIES.indexOf(other.severity) - SEVERITIES.indexOf(one.severity) ||
    (other.startedMs ?? 0) - (one.startedMs ?? 0)
  )
}
