import { useEffect, useState, useSyncExternalStore } from 'react'
import { type ApiError, asApiError } from '../api/api-error.ts'
import { call } from '../api/client.ts'
import { confirmed } from '../api/confirmed.ts'
import type { Schema } from '../api/paths.ts'
import { usePerson, useRole } from '../api/session.ts'
import { invalidate, useQuery } from '../api/use-query.ts'

/** A secret is hidden again after this. */
const SHOWN_MS = 60_000
const HIDDEN = '••••••••••••••••'
const ADMINISTRATORS = ['OWNER', 'ADMIN']

/** What a key is for. */
export interface KeyPurpose {
  /** Resources of which one lets the key do it, the first is that of a key that is made for it. */
  readonly resources: readonly [string, ...string[]]
  /** What the key needs of them, and is given. */
  readonly needs: 'PUT' | 'POST'
  readonly methods: ReadonlyArray<'GET' | 'PUT' | 'POST' | 'DELETE'>
  readonly name: string
  readonly description: string
  /** What it does, behind the name of the key, and what else it may not. */
  readonly does: string
  readonly may: string
}

/** A key whose PUT sends samples of every component. */
const FEED_KEY: KeyPurpose = {
  resources: ['component/*/feed', 'component/*', '*'],
  needs: 'PUT',
  methods: ['GET', 'PUT'],
  name: 'First samples',
  description: 'Created on the getting started page',
  does: 'can send samples',
  may: 'The key can send and read samples, nothing else.',
}

/** The key that samples are sent with, for the pages that explain how to send them. */
export interface OwnKey {
  /** Whether the person may make keys and see them. */
  readonly isAdministrator: boolean
  readonly purpose: KeyPurpose
  /** In this page's memory only, so gone when it is loaded again. */
  readonly secret: string | undefined
  /** What a key is called that can do this and be shown; undefined: there is none. */
  readonly known: string | undefined
  /** The key as written in a program: shown, masked, or a placeholder for a missing one. */
  readonly text: string
  readonly isShown: boolean
  readonly isBusy: boolean
  readonly error: ApiError | undefined
  /** Makes a key that can do this, and nothing else. */
  make(): Promise<void>
  /** Shows the one that is known, which takes the password. */
  reveal(): Promise<void>
  setShown(isShown: boolean): void
}

interface Kept {
  /** In which organization it was made or shown, and to whom. */
  readonly of: string
  readonly uid: string
  readonly name: string
  readonly secret: string
}

let kept: Kept | undefined
const listeners = new Set<() => void>()

function keep(next: Kept | undefined): void {
  kept = next
  for (const listener of listeners) listener()
}

/** Forgets the secret of a key that is revoked. */
export function forgetOwnKey(uid: string): void {
  if (kept?.uid === uid) keep(undefined)
}

function useKept(of: string): Kept | undefined {
  const one = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => kept,
  )
  return one?.of === of ? one : undefined
}

/** The key of the organization that samples are sent with: one that was just made or shown, or one that can be. */
export function useOwnKey(purpose: KeyPurpose = FEED_KEY): OwnKey {
  const { orgUid, email } = usePerson()
  const of = `${orgUid} ${email} ${purpose.resources[0]}`
  const isAdministrator = ADMINISTRATORS.includes(useRole())
  const keys = useQuery(['api_key'], (signal) => call('get', '/api/api_key', { signal }), {
    isOff: !isAdministrator,
  })
  const found = keys.data?.api_key.find((one) => isFor(purpose, one))
  const own = useKept(of)
  const [isShown, setShown] = useShown()
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<ApiError>()
  const run = async (act: () => Promise<Omit<Kept, 'of'> | undefined>) => {
    if (isBusy) return
    setIsBusy(true)
    setError(undefined)
    try {
      const next = await act()
      if (next !== undefined) keep({ of, ...next })
    } catch (thrown) {
      setError(asApiError(thrown))
    }
    setIsBusy(false)
  }
  const reveal = () =>
    run(async () => {
      if (found === undefined) return undefined
      const answer = await showKey(found.uid)
      if (answer !== undefined) setShown(true)
      return answer === undefined ? undefined : { uid: found.uid, name: found.name, secret: answer }
    })
  // Until it is known whether there is a key, none is asked for.
  const isWaiting = isAdministrator && keys.data === undefined && keys.error === undefined
  const hasKey = own !== undefined || found !== undefined || isWaiting
  const text = own !== undefined && isShown ? own.secret : hasKey ? HIDDEN : 'YOUR_KEY'
  return {
    isAdministrator,
    purpose,
    secret: own?.secret,
    known: own?.name ?? found?.name,
    text,

    isShown,
    isBusy,
    error: error ?? keys.error,
    make: () => run(() => makeKey(purpose)),
    reveal,
    setShown,
  }
}

function isFor(
  { resources, needs }: KeyPurpose,
  { capabilities, isEnabled, ipAddresses }: Schema<'ApiKey'>,
): boolean {
  const may = capabilities.some(
    ({ resource, methods }) => resources.includes(resource) && methods.includes(needs),
  )
  return may && isEnabled && ipAddresses.length === 0
}

/** Whether a secret is in sight: for a minute at most. */
function useShown(): readonly [boolean, (isShown: boolean) => void] {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    if (!isShown) return undefined
    const timer = setTimeout(() => setShown(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isShown])
  return [isShown, setShown]
}

async function makeKey(purpose: KeyPurpose): Promise<Omit<Kept, 'of'>> {
  const { name, description, resources, methods } = purpose
  const { api_key } = await call('put', '/api/api_key', {
    body: {
      api_key: {
        name,
        description,
        capabilities: [{ resource: resources[0], methods: [...methods] }],
      },
    },
  })
  invalidate('api_key')
  return { uid: api_key.uid, name, secret: api_key.secretKey }
}

async function showKey(uid: string): Promise<string | undefined> {
  const answer = await confirmed((headers) =>
    call('get', '/api/api_key/{uid}/secret', { path: { uid }, headers }),
  )
  return answer?.api_key.secretKey
}
