import { inSlices } from '../../base/index.ts'
import type { IncomingSamples } from './incoming-samples.ts'
import type { MissingTarget } from './resolve-targets.ts'

/** What the record of a put takes beside its samples, and what a sample takes, the bytes of its text aside. */
const PUT_BYTES = 32
const SAMPLE_BYTES = 32

/** The longest text that a number or a boolean becomes where its stream turns out to hold texts. */
const MADE_TEXT_BYTES = 24

/** What a removal takes. */
const REMOVAL_BYTES = 20

/** What a put of one text will take in the journal. */
export function textBytesInJournal(text: string): number {
  return PUT_BYTES + SAMPLE_BYTES + Buffer.byteLength(text)
}

/**
 * What a put will take in the journal, hardly more and not less: what is made for its sake would stay empty
 * if its samples found no room. Texts count as they are written, in bytes: most scripts take two or three a character.
 */
export async function bytesInJournal(
  { count, texts, isNumeric }: Pick<IncomingSamples, 'count' | 'texts' | 'isNumeric'>,
  { removals, missing }: { readonly removals: number; readonly missing: readonly MissingTarget[] },
): Promise<number> {
  let bytes = PUT_BYTES + removals * REMOVAL_BYTES + count * SAMPLE_BYTES
  if (isNumeric && !missing.some(isDefined)) return bytes
  let written = 0
  await inSlices(texts?.length ?? 0, (from, until) => {
    for (let index = from; index < until; index++) {
      const text = texts?.[index]
      if (text === undefined) continue
      bytes += Buffer.byteLength(text)
      written += 1
    }
  })
  return bytes + (count - written) * MADE_TEXT_BYTES
}

/** Whether a template may say which type a stream that is missing gets. */
function isDefined({ component, creation }: MissingTarget): boolean {
  if (component !== undefined || creation.compTmplId !== undefined) return true
  return creation.dtId !== undefined || creation.dsId !== undefined
}
