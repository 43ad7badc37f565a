import { call } from '../../api/client.ts'
import type { BodyOf, Schema } from '../../api/paths.ts'
import type { FoundStream } from '../../state/use-stream.ts'

/** A correction as it is asked for. */
export type AskedCorrection = BodyOf<
  '/api/component/{componentUid}/stream/{uid}/correction',
  'post'
>['correction']

type Job = Schema<'Job'>

/** Above this number, a correction cannot be undone. */
export const UNDO_SAMPLES_MAX = 1_000_000

/** How often the progress of a job is read. */
const LOOK_MS = 500

const pathOf = ({ componentUid, streamUid }: FoundStream) => ({ componentUid, uid: streamUid })

/** What a correction would do. */
export async function previewCorrection(
  found: FoundStream,
  correction: AskedCorrection,
  signal: AbortSignal,
): Promise<Schema<'CorrectionPreview'>> {
  const address = '/api/component/{componentUid}/stream/{uid}/correction/preview'
  const answer = await call('post', address, { path: pathOf(found), body: { correction }, signal })
  return answer.correction
}

/** Begins a correction. */
export async function startCorrection(
  found: FoundStream,
  correction: AskedCorrection,
): Promise<Job> {
  const address = '/api/component/{componentUid}/stream/{uid}/correction'
  return (await call('post', address, { path: pathOf(found), body: { correction } })).job
}

/** Begins to undo a correction. */
async function undoCorrection(found: FoundStream, job: string): Promise<Job> {
  const address = '/api/component/{componentUid}/stream/{uid}/correction/{job}/undo'
  return (await call('post', address, { path: { ...pathOf(found), job } })).job
}

/** Undoes a correction. Returns the result in words, and throws the reason of a failure. */
export async function undoToEnd(found: FoundStream, job: string): Promise<string> {
  const begun = await undoCorrection(found, job)
  const { status, message, correction } = await followJob(begun.uid, () => {})
  if (status === 'FAILED') throw new Error(message)
  const { leftCount = 0 } = correction ?? {}
  if (leftCount === 0) return 'The samples are as they were.'
  return `The samples are as they were, except ${samplesText(leftCount)} that were written again since.`
}

/** The corrections of a stream, the latest first. */
export async function listCorrections(
  found: FoundStream,
  signal: AbortSignal,
): Promise<readonly Job[]> {
  const address = '/api/component/{componentUid}/stream/{uid}/correction'
  return (await call('get', address, { path: pathOf(found), signal })).job
}

/** Follows a job to its end. */
export async function followJob(uid: string, onProgress: (job: Job) => void): Promise<Job> {
  for (;;) {
    const { job } = await call('get', '/api/job/{uid}', { path: { uid } })
    onProgress(job)
    if (job.status !== 'RUNNING') return job
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

/** What a correction does, in words. */
export function wordsOf({ action, value }: Pick<AskedCorrection, 'action' | 'value'>): string {
  if (action === 'delete') return 'Delete'
  if (action === 'set') return `Set to ${String(value)}`
  return action === 'offset' ? `Add ${String(value)}` : `Multiply by ${String(value)}`
}

/** A number of samples, in words. */
export function samplesText(count: number): string {
  return `${count.toLocaleString('en-GB')} ${count === 1 ? 'sample' : 'samples'}`
}

/** What a correction has done, in words. */
export function changedText({ action, sampleCount }: Schema<'JobCorrection'>): string {
  return `${samplesText(sampleCount)} ${action === 'delete' ? 'deleted' : 'changed'}.`
}
