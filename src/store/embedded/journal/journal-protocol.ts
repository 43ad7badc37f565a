import type { MessagePort } from 'node:worker_threads'

/** What the journal thread is started with. */
export interface JournalThreadData {
  readonly port: MessagePort
  /** Cell 0 counts the messages sent to the thread, which sleeps on it. */
  readonly control: SharedArrayBuffer
  readonly faults: SharedArrayBuffer | undefined
}

/** A segment to begin, with its first frame. */
export interface SegmentStart {
  readonly path: string
  readonly number: number
  readonly salt: number
}

/** A frame to make durable; its payload lies in `memory` after room for the two headers. */
export interface WriteFrame {
  readonly op: 'write'
  readonly memory: SharedArrayBuffer
  readonly payloadBytes: number
  readonly sequence: number
  readonly fileOffset: number
  readonly start: SegmentStart | undefined
}

export type JournalCommand = WriteFrame | { readonly op: 'close' }

export type JournalReply =
  | { readonly op: 'durable'; readonly sequence: number }
  | { readonly op: 'failed'; readonly what: string }
  | { readonly op: 'closed' }
