import type { Readable } from 'node:stream'

/** What an answer has beside its body. */
interface AnswerHead {
  readonly status?: number
  /** A list stands for a header that comes several times. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Sent after a streamed body, to clients that accept trailers. */
  readonly trailer?: { readonly name: string; readonly value: () => string }
}

/** An answer that is more than a value of JSON. Without a Content-Type a body is JSON. */
export class Answer {
  readonly body: string | Uint8Array | Readable
  readonly head: AnswerHead

  constructor(body: string | Uint8Array | Readable, head: AnswerHead = {}) {
    this.body = body
    this.head = head
  }
}
