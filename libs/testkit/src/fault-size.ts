/** Sizes of a fault test: kills, messages or accounts. */
export interface FaultSizes {
  /** Size in `make test`: large enough that each assertion can fail. */
  small: number
  /** Size in `make test-faults`. */
  full: number
}

/** Size of a fault test in this run. `make test-faults` sets TEST_FAULTS to `full`. */
export function faultSize({ small, full }: FaultSizes): number {
  return isFullFaultRun ? full : small
}

/** True in `make test-faults`. */
export const isFullFaultRun = process.env['TEST_FAULTS'] === 'full'
