/** A statistic of a cycle instead of the samples. */
export interface CycleChoice {
  readonly cycle: string
  readonly stat: string
}
