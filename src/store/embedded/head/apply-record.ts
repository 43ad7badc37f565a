import type { Removal, SampleBatch } from '../../ports/sample-port.ts'
import type { JournalRecord } from '../journal/record.ts'
import type { HeadGeneration } from './head-generation.ts'

/** Below this a late sample finds its place by itself as cheaply as in a sorted group. */
const LATE_GROUP_MIN = 8

/** Brings a generation up to date with a record that is durable. */
export function applyRecord(generation: HeadGeneration, record: JournalRecord): void {
  const { batch } = record
  switch (record.kind) {
    case 'samples':
      applyRemovals(generation, batch.removals)
      applySamples(generation, batch, { start: 0, end: batch.count })
      return
    case 'specials':
      applyRemovals(generation, batch.removals)
      applySpecials(generation, batch, { start: 0, end: batch.count })
      return
    case 'floor':
      // What a floor only hid is there again; a delete profile that still says so takes it out.
      return
    case 'forget':
      for (let index = 0; index < batch.count; index += 1) generation.forget(batch.handles[index])
  }
}

/** Does removals of a batch, which come before its samples. */
export function applyRemovals(generation: HeadGeneration, removals: readonly Removal[]): void {
  // Those of a stream mostly ascend, and a generation takes them best from the latest on.
  for (let index = removals.length - 1; index >= 0; index -= 1) {
    const { handle, from, until } = removals[index]
    generation.remove(handle, from, until)
  }
}

/** Puts the special values start ≤ index < end of a batch. */
export function applySpecials(
  generation: HeadGeneration,
  { handles, times, numbers }: SampleBatch,
  { start, end }: { start: number; end: number },
): void {
  for (let index = start; index < end; index += 1) {
    generation.putSpecial(handles[index], times[index], numbers[index])
  }
}

/** Puts the samples start ≤ index < end of a batch: those in order at once, late ones sorted. */
export function applySamples(
  generation: HeadGeneration,
  batch: SampleBatch,
  { start, end }: { start: number; end: number },
): void {
  const { handles, times, numbers, texts } = batch
  let late: number[] | undefined
  for (let index = start; index < end; index += 1) {
    if (generation.putLast(handles[index], times[index], numbers[index], texts?.[index])) continue
    late ??= []
    late.push(index)
  }
  if (late === undefined) return
  if (late.length >= LATE_GROUP_MIN) {
    // The sort is stable: of two samples at one time the one that came last is put last.
    late.sort((a, b) => handles[a] - handles[b] || times[a] - times[b])
  }
  for (const index of late) {
    generation.put(handles[index], times[index], numbers[index], texts?.[index])
  }
}
