/**
 * The journal's own thread: it writes one frame, syncs, answers, and sleeps until the next. A sync on
 * the shared pool would queue behind password hashes and file reads.
 */
import { receiveMessageOnPort, workerData } from 'node:worker_threads'
import { type FileRef, writeFully } from '../disk/disk.ts'
import { openDisk } from '../disk/faulty-disk.ts'
import { ControlCells } from './control-cells.ts'
import { DIRECTORY_BYTES, writeDirectory } from './directory.ts'
import { FRAME_HEADER_BYTES, finishFrame, frameBytes } from './frame.ts'
import type {
  FrameOrder,
  JournalCommand,
  JournalReply,
  JournalThreadData,
  SegmentStart,
} from './journal-protocol.ts'
import { SEGMENT_HEADER_BYTES, writeSegmentHeader } from './segment.ts'

const PAYLOAD_START = SEGMENT_HEADER_BYTES + FRAME_HEADER_BYTES

const { port, control, faults } = workerData as JournalThreadData
const disk = openDisk(faults)
const cells = new ControlCells(control)
const buffers: Uint8Array[] = []
let current: { file: FileRef; salt: number } | undefined
/** The segment that the next frame begins. */
let next: SegmentStart | undefined
let isOpen = true

function startSegment(start: SegmentStart, bytes: Uint8Array, firstSequence: number): void {
  if (current !== undefined) disk.close(current.file)
  current = { file: disk.openForWrite(start.path), salt: start.salt }
  writeSegmentHeader(bytes, { ...start, firstSequence })
}

function writeFrame({ buffer, payloadBytes, sequence, fileOffset }: FrameOrder): void {
  const bytes = buffers[buffer]
  const start = next
  next = undefined
  if (start !== undefined) startSegment(start, bytes, sequence)
  if (current === undefined) throw new Error('BUG: a frame came before its segment')
  const { file, salt } = current
  writeDirectory(bytes, PAYLOAD_START, PAYLOAD_START + payloadBytes - DIRECTORY_BYTES)
  finishFrame(bytes, SEGMENT_HEADER_BYTES, { salt, sequence, payloadBytes, fileOffset })
  const end = SEGMENT_HEADER_BYTES + frameBytes(payloadBytes)
  if (start === undefined) {
    writeFully(disk, { file, position: fileOffset }, bytes.subarray(SEGMENT_HEADER_BYTES, end))
  } else {
    writeFully(disk, { file, position: 0 }, bytes.subarray(0, end))
  }
  disk.sync(file)
}

function follow(command: JournalCommand): void {
  switch (command.op) {
    case 'buffer':
      buffers[command.buffer] = new Uint8Array(command.memory)
      return
    case 'segment':
      next = command.start
      return
    case 'close':
      isOpen = false
  }
}

function takeMessages(): void {
  if (!cells.takeMessages()) return
  for (;;) {
    const received = receiveMessageOnPort(port)
    if (received === undefined) return
    follow(received.message as JournalCommand)
  }
}

function answer(order: FrameOrder): JournalReply {
  try {
    writeFrame(order)
    return order.sequence
  } catch (error) {
    return { op: 'failed', what: error instanceof Error ? error.message : String(error) }
  }
}

while (isOpen) {
  cells.awaitCall()
  const order = cells.takeOrder()
  // Looked at after the order: whatever it needs was posted ahead of it.
  takeMessages()
  if (order !== undefined) port.postMessage(answer(order))
}
if (current !== undefined) disk.close(current.file)
port.postMessage('closed' satisfies JournalReply)
port.close()
