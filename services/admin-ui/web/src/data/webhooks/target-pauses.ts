import type { UpdateSettingsInput } from '@posthorn/client'
import { targetAddress } from '@posthorn/contracts/target-address'

/** Options of single webhook targets, as the setting `webhookTargets` contains them. */
export type TargetOptionList = NonNullable<UpdateSettingsInput['body']['webhookTargets']>
type TargetOptions = TargetOptionList[number]

/** Pause of a webhook target, or its end. */
export interface TargetPause {
  address: string
  paused: boolean
}

/**
 * Options of webhook targets after the pause of one target, or after its end. Other options of the
 * target are kept. Null if no target has options any more.
 */
export function withPause(
  options: TargetOptionList,
  { address, paused }: TargetPause,
): TargetOptionList | null {
  const isMeant = ({ target }: TargetOptions) => targetAddress(target) === address
  const entries = options.some(isMeant) || !paused ? options : [...options, { target: address }]
  const changed = entries
    .map((option) => (isMeant(option) ? withoutPause(option, paused) : option))
    .filter((option) => !isMeant(option) || Object.keys(option).length > 1)
  return changed.length === 0 ? null : changed
}

function withoutPause({ paused: _paused, ...rest }: TargetOptions, paused: boolean): TargetOptions {
  return paused ? { ...rest, paused } : rest
}
