/** Digits behind the point; `isFixed`: always so many, as a unit or a panel says. */
export interface Precision {
  readonly decimals: number
  readonly isFixed: boolean
}
