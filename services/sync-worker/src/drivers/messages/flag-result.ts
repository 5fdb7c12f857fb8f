import { defined } from '@posthorn/contracts/defined'
import type { FlagResult, FlagUpdate } from '@posthorn/contracts/schemas/flag-update'

/** Response of an update: each requested step with its success. */
export function updateResult({ flags, labels }: FlagUpdate, success: boolean): FlagResult {
  const steps = (update: object | undefined) =>
    update && Object.fromEntries(Object.keys(update).map((step) => [step, success]))
  return defined({ flags: steps(flags), labels: steps(labels) })
}
