/** Alerts of the service in the form of Prometheus' rules, which Grafana lists. */
import type { AlertStates } from '../../alerts/index.ts'

type RuleStates = Awaited<ReturnType<AlertStates['listRules']>>[number]

/** All alerts of the service are one group. */
const GROUP_NAME = 'Weir'
/** States change with samples and deadlines, not at intervals. Prometheus always has one. */
const INTERVAL_SECONDS = 1

/** The data of `rules`. With a type other than `alert` there are none. */
export function rulesData(rules: readonly RuleStates[], nowMs: number): object {
  if (rules.length === 0) return { groups: [] }
  const evaluated = { evaluationTime: 0, lastEvaluation: new Date(nowMs).toISOString() }
  const group = { name: GROUP_NAME, file: '', interval: INTERVAL_SECONDS, limit: 0, ...evaluated }
  return { groups: [{ ...group, rules: rules.map((rule) => ({ ...ruleOf(rule), ...evaluated })) }] }
}

/** The data of `alerts`: the states that fire or are pending. */
export function alertsData(rules: readonly RuleStates[]): object {
  return { alerts: rules.flatMap(alertsOf) }
}

function ruleOf(rule: RuleStates) {
  const { alert, states } = rule
  const isFiring = states.some(({ state }) => state === 'FIRING')
  const activeState = isFiring ? 'firing' : 'pending'
  return {
    type: 'alerting',
    name: nameOf(rule),
    state: states.length === 0 ? 'inactive' : activeState,
    query: alert.condition,
    duration: alert.forMs / 1000,
    keepFiringFor: 0,
    labels: { severity: alert.severity },
    annotations: annotationsOf(rule),
    alerts: alertsOf(rule),
    health: 'ok',
  }
}

function alertsOf(rule: RuleStates) {
  const { alert, states } = rule
  return states.map(
    ({ componentId, componentUid, startedMs, state, streamId, streamUid, value }) => ({
      labels: {
        alertname: nameOf(rule),
        severity: alert.severity,
        component: componentId || componentUid,
        stream: streamId || streamUid,
      },
      annotations: annotationsOf(rule),
      state: state.toLowerCase(),
      activeAt: new Date(startedMs).toISOString(),
      value: value ?? '',
    }),
  )
}

function nameOf({ alert }: RuleStates): string {
  return alert.name || alert.id || alert.uid
}

function annotationsOf({ alert }: RuleStates): Record<string, string> {
  return {
    ...(alert.message === '' ? {} : { summary: alert.message }),
    ...(alert.description === '' ? {} : { description: alert.description }),
  }
}
