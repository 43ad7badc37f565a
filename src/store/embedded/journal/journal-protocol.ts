import type { MessagePort } from 'node:worker_threads'
import type { FileRef } from '../disk/disk.ts'

/** What the journal thread is started with. */
export interface JournalThreadData {
  readonly port: MessagePort
  /** Memory of a ControlCells. */
  readonly control: SharedArrayBuffer
  readonly faults: SharedArrayBuffer | undefined
}

/** A segment to begin, with its first frame; the writer closes the file in the end. */
export interface SegmentStart {
  readonly file: FileRef
  readonly number: number
  readonly salt: number
  /** How long the file was made. */
  readonly bytes: number
}

/** A frame to make durable; its payload lies in the named buffer after room for the two headers. */
export interface FrameWrite {
  /** Which of the buffers that the thread was given. */
  readonly buffer: number
  readonly payloadBytes: number
  readonly sequence: number
  readonly fileOffset: number
}

/** What does not come with every frame and therefore travels as a message, ahead of the frame. */
export type JournalCommand =
  | { readonly op: 'buffer'; readonly buffer: number; readonly memory: SharedArrayBuffer }
  | { readonly op: 'segment'; readonly start: SegmentStart }
  | { readonly op: 'close' }

/** The sequence of a frame that is durable, as the plain number that is cheapest to send. */
export type JournalReply = number | { readonly op: 'failed'; readonly what: string } | 'closed'
