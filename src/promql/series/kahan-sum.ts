/** A sum with the error of its additions kept apart, as Prometheus adds (Kahan, Babuška, Neumaier). */
export class KahanSum {
  sum = 0
  /** What rounding has lost. */
  rest = 0

  add(value: number): void {
    const total = this.sum + value
    if (Math.abs(total) === Number.POSITIVE_INFINITY) this.rest = 0
    else if (Math.abs(this.sum) >= Math.abs(value)) this.rest += this.sum - total + value
    else this.rest += value - total + this.sum
    this.sum = total
  }

  get total(): number {
    return this.sum + this.rest
  }
}
