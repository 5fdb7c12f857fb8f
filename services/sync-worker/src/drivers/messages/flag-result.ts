import { defined } from '@posthorn/contracts/defined'
import type { FlagResult, FlagUpdate } from '@posthorn/contracts/schemas/flag-update'

/**
 * Builds the response to an update of flags and labels. Contains each requested step, with the
 * success of the flag steps and the success of the label steps.
 */
export function updateResult(
  { flags, labels }: FlagUpdate,
  success: { flags: boolean; labels: boolean },
): FlagResult {
  const steps = (update: object | undefined, isChanged: boolean) =>
    update && Object.fromEntries(Object.keys(update).map((step) => [step, isChanged]))
  return defined({ flags: steps(flags, success.flags), labels: steps(labels, success.labels) })
}
