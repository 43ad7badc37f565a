/** Digits behind the point; `isFixed`: zeros at the end are kept, as a unit or a panel says. */
export interface Precision {
  readonly decimals: number
  readonly isFixed: boolean
}
