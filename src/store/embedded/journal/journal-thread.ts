/**
 * The journal's own thread: it writes one frame, syncs, answers, and sleeps until the next. A sync on
 * the shared pool would queue behind password hashes and file reads.
 */
import { receiveMessageOnPort, workerData } from 'node:worker_threads'
import { openDisk } from '../disk/faulty-disk.ts'
import { ControlCells } from './control-cells.ts'
import type { JournalCommand, JournalReply, JournalThreadData } from './journal-protocol.ts'
import { JournalWriter } from './journal-writer.ts'

const { port, control, faults } = workerData as JournalThreadData
const cells = new ControlCells(control)
const writer = new JournalWriter(openDisk(faults))
let isOpen = true

function takeMessages(): void {
  if (!cells.takeMessages()) return
  for (;;) {
    const received = receiveMessageOnPort(port)
    if (received === undefined) return
    const command = received.message as JournalCommand
    if (command.op === 'close') isOpen = false
    else writer.follow(command)
  }
}

while (isOpen) {
  cells.awaitCall()
  const order = cells.takeWrite()
  // Looked at after the order: whatever it needs was posted ahead of it.
  takeMessages()
  if (order !== undefined) port.postMessage(writer.write(order))
}
writer.close()
port.postMessage('closed' satisfies JournalReply)
port.close()
