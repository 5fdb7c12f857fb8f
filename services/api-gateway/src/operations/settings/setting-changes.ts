import { isDeepStrictEqual } from 'node:util'
import { type FieldError, fieldError } from '@posthorn/contracts/describe-error'
import {
  addressSettings,
  secretSettings,
  settingDefaults,
  type SettingKey,
  type Settings,
  type SettingsUpdate,
} from '@posthorn/contracts/settings/settings'
import { validationError } from '@posthorn/contracts/validate'
import { type Sealer, sealHeaders, sealLogin } from '@posthorn/secrets'
import { mask, maskUrl, unknownMask, unmaskHeaders } from '../../http/masks.ts'
import { type SettingChange, settingSealContext } from '../../store/installation/settings.ts'

/**
 * Planned change of a setting. The member `seal` and header values are in plaintext, and are sealed
 * (encrypted) when the change is stored.
 */
export type PlannedChange =
  | ({ key: SettingKey } & ({ value: unknown } | { seal: string } | { unset: true }))
  /**
   * Change of the setting `authServer`: the masked URL, which clients can read, and the complete
   * URL, which is stored sealed (encrypted).
   */
  | { key: 'authServer'; value: string; seal: string }
  | { key: 'webhooksCustomHeaders'; headers: { key: string; value: string }[] }
  /** Secret settings that are generated once. No request reads or changes such a setting. */
  | { key: 'linkSecret'; seal: string }

const secret = new Set<string>(secretSettings)
const unsetIfEmpty = new Set<string>([...addressSettings, 'webhooksHeaderAlias'])
const addresses = new Set<string>(addressSettings)

/**
 * Plans an update of settings. Skips a masked value that equals the stored value.
 *
 * @throws AppError `invalid` with `fields` for a masked value that differs from the stored value
 */
export function planChanges(update: SettingsUpdate, stored: Settings): PlannedChange[] {
  const errors: FieldError[] = []
  const changes = (Object.keys(update) as SettingKey[]).flatMap((key): PlannedChange[] => {
    const planned = planChange(key, update[key], stored)
    if (planned === 'unknownMask') errors.push(fieldError(key, unknownMask))
    return typeof planned === 'string' ? [] : [planned]
  })
  if (errors.length > 0) throw validationError(errors)
  return changes
}

type ChangePlan = PlannedChange | 'unchanged' | 'unknownMask'

function planChange(key: SettingKey, value: unknown, stored: Settings): ChangePlan {
  if (secret.has(key)) return planSecret(key, value)
  if (value === null || value === undefined || (value === '' && unsetIfEmpty.has(key)))
    return { key, unset: true }
  if (key === 'webhooksCustomHeaders') return planHeaders(value as Headers, stored)
  if (key === 'serviceUrl' || key === 'notificationBaseUrl')
    return { key, value: new URL(value as string).origin }
  return typeof value === 'string' ? planText(key, value, stored) : { key, value }
}

function planText(key: SettingKey, value: string, stored: Settings): ChangePlan {
  if (value.includes(mask)) {
    const current = stored[key]
    return typeof current === 'string' && maskUrl(current) === value ? 'unchanged' : 'unknownMask'
  }
  if (key === 'authServer' && maskUrl(value) !== value)
    return { key, value: maskUrl(value), seal: value }
  return { key, value }
}

/**
 * Plans the change of a secret setting. The service secret can be replaced but not removed, because
 * webhooks are always signed.
 */
function planSecret(key: SettingKey, value: unknown): ChangePlan {
  if (Array.isArray(value) && value.length > 0) return planSecret(key, JSON.stringify(value))
  if (typeof value !== 'string' || value === '')
    return key === 'serviceSecret' ? 'unchanged' : { key, unset: true }
  return value.includes(mask) ? 'unknownMask' : { key, seal: value }
}

type Headers = NonNullable<SettingsUpdate['webhooksCustomHeaders']>

function planHeaders(input: Headers, { webhooksCustomHeaders }: Settings): ChangePlan {
  const stored = webhooksCustomHeaders?.map(({ key, value = '' }) => ({ key, value }))
  const headers = unmaskHeaders(input, stored)
  return headers ? { key: 'webhooksCustomHeaders', headers } : 'unknownMask'
}

/**
 * Keys of the settings whose value changes. A new secret always counts as changed, because
 * api-gateway cannot unseal the stored secret. `sealed` has the keys of stored secrets.
 */
export function changedKeys(
  planned: readonly PlannedChange[],
  stored: Settings,
  sealed: ReadonlySet<string>,
): string[] {
  return planned.filter((change) => isChanged(change, stored, sealed)).map(({ key }) => key)
}

function isChanged(change: PlannedChange, stored: Settings, sealed: ReadonlySet<string>): boolean {
  if ('seal' in change) return true
  const { key } = change
  if (secret.has(key)) return sealed.has(key)
  const defaults: Settings = settingDefaults
  const value =
    'unset' in change ? defaults[key] : 'headers' in change ? change.headers : change.value
  return !isDeepStrictEqual(value, stored[key])
}

/**
 * Seals (encrypts) changes of settings: secrets for their contexts, logins in URLs, and header
 * values.
 */
export function sealChanges(planned: readonly PlannedChange[], sealer: Sealer) {
  return Promise.all(planned.map((change) => sealChange(change, sealer)))
}

async function sealChange(change: PlannedChange, sealer: Sealer): Promise<SettingChange> {
  if ('seal' in change) {
    const sealed = await sealer.seal(change.seal, settingSealContext(change.key))
    return { ...('value' in change ? { value: change.value } : {}), key: change.key, sealed }
  }
  if ('headers' in change)
    return { key: change.key, value: await sealHeaders(change.headers, 'settings', sealer) }
  if (!('value' in change) || typeof change.value !== 'string' || !addresses.has(change.key))
    return change
  return { key: change.key, value: await sealLogin(change.value, sealer) }
}
