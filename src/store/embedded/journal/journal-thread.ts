/**
 * The journal's own thread: it writes one frame, syncs, answers, and sleeps until the next. A sync on
 * the shared pool would queue behind password hashes and file reads.
 */
import { receiveMessageOnPort, workerData } from 'node:worker_threads'
import { type FileRef, writeFully } from '../disk/disk.ts'
import { openDisk } from '../disk/faulty-disk.ts'
import { DIRECTORY_BYTES, writeDirectory } from './directory.ts'
import { FRAME_HEADER_BYTES, finishFrame, frameBytes } from './frame.ts'
import type {
  JournalCommand,
  JournalReply,
  JournalThreadData,
  WriteFrame,
} from './journal-protocol.ts'
import { SEGMENT_HEADER_BYTES, writeSegmentHeader } from './segment.ts'

const { port, control, faults } = workerData as JournalThreadData
const disk = openDisk(faults)
const cells = new Int32Array(control)
let current: { file: FileRef; salt: number } | undefined

function startSegment(command: WriteFrame, bytes: Uint8Array): void {
  const { start, sequence } = command
  if (start === undefined) return
  if (current !== undefined) disk.close(current.file)
  current = { file: disk.openForWrite(start.path), salt: start.salt }
  writeSegmentHeader(bytes, { ...start, firstSequence: sequence })
}

function writeFrame(command: WriteFrame): void {
  const { payloadBytes, sequence, fileOffset } = command
  const bytes = new Uint8Array(command.memory)
  startSegment(command, bytes)
  if (current === undefined) throw new Error('BUG: a frame came before its segment')
  const { file, salt } = current
  const payloadStart = SEGMENT_HEADER_BYTES + FRAME_HEADER_BYTES
  writeDirectory(bytes, payloadStart, payloadStart + payloadBytes - DIRECTORY_BYTES)
  finishFrame(bytes, SEGMENT_HEADER_BYTES, { salt, sequence, payloadBytes, fileOffset })
  const end = SEGMENT_HEADER_BYTES + frameBytes(payloadBytes)
  if (command.start === undefined) {
    writeFully(disk, { file, position: fileOffset }, bytes.subarray(SEGMENT_HEADER_BYTES, end))
  } else {
    writeFully(disk, { file, position: 0 }, bytes.subarray(0, end))
  }
  disk.sync(file)
}

function handle(command: JournalCommand): JournalReply {
  if (command.op === 'close') {
    if (current !== undefined) disk.close(current.file)
    return { op: 'closed' }
  }
  try {
    writeFrame(command)
    return { op: 'durable', sequence: command.sequence }
  } catch (error) {
    return { op: 'failed', what: error instanceof Error ? error.message : String(error) }
  }
}

for (let seen = 0, isOpen = true; isOpen; ) {
  Atomics.wait(cells, 0, seen)
  seen = Atomics.load(cells, 0)
  for (;;) {
    const received = receiveMessageOnPort(port)
    if (received === undefined) break
    const reply = handle(received.message as JournalCommand)
    port.postMessage(reply)
    if (reply.op === 'closed') isOpen = false
  }
}
port.close()
