/** Calls that ask for the password again: the dialog that asks, and the call once more with it. */
import { useSyncExternalStore } from 'react'
import { asApiError } from './api-error.ts'

/** What is sent beside a call to confirm who sits there. */
export type ConfirmingHeaders = Readonly<Record<string, string>>

/** What is asked for, and what was wrong with what was given before; blank: nothing. */
export interface Question {
  readonly wantsCode: boolean
  readonly wrongPassword: string
  readonly wrongCode: string
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
      const isOfCode = code === 'second_factor'
      // The first time nothing was given that could be wrong.
      const wrongPassword = attempt === 0 || isOfCode ? '' : message
      const wrongCode = attempt === 0 || !isOfCode ? '' : message
      wantsCode ||= isOfCode
      const given = await ask({ wantsCode, wrongPassword, wrongCode })
      if (given === undefined) return undefined
      headers = headersOf(given)
    }
  }
}

function ask(asked: Omit<Question, 'answer'>) {
  return new Promise<{ password: string; code: string } | undefined>((resolve) => {
    // One question at a time: a new one cancels the previous one.
    question?.answer(undefined)
    const answer = (given: { password: string; code: string } | undefined) => {
      if (given === undefined) set(undefined)
      resolve(given)
    }
    set({ ...asked, answer })
  })
}

function headersOf({ password, code }: { password: string; code: string }): ConfirmingHeaders {
  return {
    'Weir-Password': headerText(password),
    ...(code === '' ? {} : { 'Weir-Otp': headerText(code) }),
  }
}

/** A text as a header takes it, which holds bytes: those of UTF-8, as the service reads them. */
export function headerText(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text))
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
