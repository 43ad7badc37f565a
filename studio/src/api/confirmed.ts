/** Calls that ask for the password again: the dialog that asks, and the call once more with it. */
import { useSyncExternalStore } from 'react'
import { asApiError } from './api-error.ts'

/** What is sent beside a call to confirm who sits there. */
export type ConfirmingHeaders = Readonly<Record<string, string>>

/** What is asked for: the words of the service, and whether it wants a code of the second factor. */
export interface Question {
  readonly message: string
  readonly wantsCode: boolean
  answer(given: { readonly password: string; readonly code: string } | undefined): void
}

const listeners = new Set<() => void>()
let question: Question | undefined

function set(next: Question | undefined): void {
  question = next
  for (const listener of listeners) listener()
}

/** Calls; where the service wants the password, asks for it until it is right, or the person gives up. */
export async function confirmed<T>(
  act: (headers: ConfirmingHeaders) => Promise<T>,
): Promise<T | undefined> {
  let headers: ConfirmingHeaders = {}
  let wantsCode = false
  for (let attempt = 0; ; attempt++) {
    try {
      const done = await act(headers)
      set(undefined)
      return done
    } catch (thrown) {
      const { code, message } = asApiError(thrown)
      const isAsking = code === 'reauthenticate' || code === 'second_factor'
      if (!isAsking) {
        set(undefined)
        throw thrown
      }
      wantsCode ||= code === 'second_factor'
      const given = await ask(attempt === 0 ? '' : message, wantsCode)
      if (given === undefined) return undefined
      headers = headersOf(given)
    }
  }
}

function ask(message: string, wantsCode: boolean) {
  return new Promise<{ password: string; code: string } | undefined>((resolve) => {
    // One question at a time: who asks anew gives the one before up.
    question?.answer(undefined)
    const answer = (given: { password: string; code: string } | undefined) => {
      if (given === undefined) set(undefined)
      resolve(given)
    }
    set({ message, wantsCode, answer })
  })
}

function headersOf({ password, code }: { password: string; code: string }): ConfirmingHeaders {
  // Headers hold bytes: those of UTF-8, as the service reads them.
  const bytes = String.fromCharCode(...new TextEncoder().encode(password))
  return { 'Weir-Password': bytes, ...(code === '' ? {} : { 'Weir-Otp': code }) }
}

/** What is asked at this moment. */
export function useQuestion(): Question | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => question,
  )
}
