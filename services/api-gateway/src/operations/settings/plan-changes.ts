import {
  addressSettings,
  type FieldError,
  fieldError,
  validationError,
  secretSettings,
  type SettingKey,
  type Settings,
  type SettingsUpdate,
} from '@posthorn/contracts'
import { mask, maskUrl, unmaskHeaders } from '../../http/masks.ts'

/** What is to be written. A `seal`, and the values of headers, are still in the clear. */
export type PlannedChange =
  | ({ key: SettingKey } & ({ value: unknown } | { seal: string } | { unset: true }))
  /** Shown with its password hidden, and stored so; the whole of it is sealed. */
  | { key: 'authServer'; value: string; seal: string }
  | { key: 'webhooksCustomHeaders'; headers: { key: string; value: string }[] }
  /** Made once, by us: no request reads or changes it. */
  | { key: 'linkSecret'; seal: string }

const secret = new Set<string>(secretSettings)
const addresses = new Set<string>(addressSettings)

/**
 * What an update changes. A value that is sent back as it was shown, masked, is left out.
 *
 * @throws AppError `invalid` with `fields` for a masked value that is not the stored one
 */
export function planChanges(update: SettingsUpdate, stored: Settings): PlannedChange[] {
  const errors: FieldError[] = []
  const changes = (Object.keys(update) as SettingKey[]).flatMap((key): PlannedChange[] => {
    const planned = planChange(key, update[key], stored)
    if (planned === 'hidden')
      errors.push(fieldError(key, 'contains a masked value that is not the stored one'))
    return planned === 'hidden' || planned === 'same' ? [] : [planned]
  })
  if (errors.length > 0) throw validationError(errors)
  return changes
}

function planChange(
  key: SettingKey,
  value: unknown,
  stored: Settings,
): PlannedChange | 'same' | 'hidden' {
  if (secret.has(key)) return planSecret(key, value)
  if (value === null || value === undefined || (value === '' && addresses.has(key)))
    return { key, unset: true }
  if (key === 'webhooksCustomHeaders') return planHeaders(value as Headers, stored)
  if (key === 'serviceUrl') return { key, value: new URL(value as string).origin }
  return typeof value === 'string' ? planText(key, value, stored) : { key, value }
}

function planText(
  key: SettingKey,
  value: string,
  stored: Settings,
): PlannedChange | 'same' | 'hidden' {
  if (value.includes(mask)) {
    const known = stored[key]
    return typeof known === 'string' && maskUrl(known) === value ? 'same' : 'hidden'
  }
  if (key === 'authServer' && maskUrl(value) !== value)
    return { key, value: maskUrl(value), seal: value }
  return { key, value }
}

/** The service secret can be replaced and not taken away: what is signed with it must always be signed. */
function planSecret(key: SettingKey, value: unknown): PlannedChange | 'same' | 'hidden' {
  if (Array.isArray(value) && value.length > 0) return planSecret(key, JSON.stringify(value))
  if (typeof value !== 'string' || value === '')
    return key === 'serviceSecret' ? 'same' : { key, unset: true }
  return value.includes(mask) ? 'hidden' : { key, seal: value }
}

type Headers = NonNullable<SettingsUpdate['webhooksCustomHeaders']>

function planHeaders(
  given: Headers,
  { webhooksCustomHeaders }: Settings,
): PlannedChange | 'hidden' {
  const known = webhooksCustomHeaders?.map(({ key, value = '' }) => ({ key, value }))
  const headers = unmaskHeaders(given, known)
  return headers ? { key: 'webhooksCustomHeaders', headers } : 'hidden'
}
