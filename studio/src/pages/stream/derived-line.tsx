import type { FoundStream } from '../../state/use-stream.ts'
import styles from './stream.module.css'

/** Longer formulas are cut; the rest is shown on demand. */
const FORMULA_LENGTH_MAX = 300

/** Whether a stream is what a formula makes of others: nobody puts or deletes its samples. */
export function isDerived({ record }: FoundStream): boolean {
  return record?.streamDerivationType === 'FROM_EXPRESSION'
}

/** Says of a derived stream that it is one, by which formula, and what went wrong last. */
export function DerivedLine({ found }: { readonly found: FoundStream }) {
  if (!isDerived(found)) return null
  const { derivation, derivationStatus } = found.record ?? {}
  const formula = derivation?.expression ?? ''
  const problem = derivationStatus?.lastError?.message
  const isLong = formula.length > FORMULA_LENGTH_MAX
  return (
    <p className={styles.derived}>
      Calculated from other streams:{' '}
      <code title={isLong ? formula : undefined}>
        {isLong ? `${formula.slice(0, FORMULA_LENGTH_MAX)}…` : formula}
      </code>
      {problem !== undefined && <> Last error: {problem}</>}
    </p>
  )
}
