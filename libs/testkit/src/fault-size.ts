/** Sizes of a fault test: numbers of kills, messages or accounts. */
export interface FaultSizes {
  /**
   * Size of a fault test in `make test` (number of kills, messages or accounts), large enough that
   * each assertion can fail.
   */
  small: number
  /** Size of a fault test in `make test-faults`. */
  full: number
}

/** Size of a fault test in the current test run. `make test-faults` sets TEST_FAULTS to `full`. */
export function faultSize({ small, full }: FaultSizes): number {
  return isFullFaultRun ? full : small
}

/** True if `make test-faults` runs the tests, with full sizes of the fault tests. */
export const isFullFaultRun = process.env['TEST_FAULTS'] === 'full'
