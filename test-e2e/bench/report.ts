/** Measured figure, and the figure of a plain library for the same work in the same run. */
export interface Row {
  what: string
  measured: number
  reference: number
  unit: string
  referenceIs: string
}

export function perSecond(count: number, ms: number): number {
  return (count * 1000) / ms
}

export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil((p / 100) * sorted.length) - 1)] ?? Number.NaN
}

export function print({ what, measured, reference, unit, referenceIs }: Row): void {
  const digits = unit.startsWith('/') ? 0 : 1
  const ratio = (measured / reference).toFixed(2)
  process.stdout.write(
    `${what}\n    ${measured.toFixed(digits)}${unit}   beside ${reference.toFixed(digits)}${unit} (${referenceIs}), ratio ${ratio}\n`,
  )
}
