import { call } from '../../api/client.ts'
import { useQuery } from '../../api/use-query.ts'
import { usePeople } from './people-section.tsx'

/** Kinds of actors in the audit log, and how people call them. */
const ACTORS: Readonly<Record<string, string>> = {
  user: 'a removed person',
  api_key: 'a deleted key',
  invitation: 'an invited person',
}

/** Names users and keys of the audit log; deleted ones by their kind. */
export function useAuditNames(): {
  actorOf(actor: string): string
  /** Whose acts can be chosen, as the log names them. */
  readonly callers: readonly { readonly value: string; readonly label: string }[]
  /** Blank where a UID would say less than the detail beside it. */
  targetOf(target: string, detail: string): string
} {
  const people = usePeople().data?.org_user
  const keys = useQuery(['api_key'], (signal) => call('get', '/api/api_key', { signal })).data
  const names = new Map([
    ...(people ?? []).map(({ uid, email }) => [uid, email] as const),
    ...(keys?.api_key ?? []).map(({ uid, name }) => [uid, `key “${name}”`] as const),
  ])
  const isKnown = people !== undefined && keys !== undefined
  const callers = [
    ...(people ?? []).map(({ uid, email }) => ({ value: `user:${uid}`, label: email })),
    ...(keys?.api_key ?? []).map(({ uid, name }) => ({
      value: `api_key:${uid}`,
      label: `key “${name}”`,
    })),
    { value: 'command line', label: 'command line' },
  ]
  return {
    callers,
    actorOf: (actor) => {
      const [kind, uid] = actor.split(':')
      const name = names.get(uid ?? '')
      return name ?? (isKnown ? (ACTORS[kind] ?? actor) : '')
    },
    targetOf: (target, detail) => names.get(target) ?? (detail === '' ? target : ''),
  }
}
