import {
  addressSettings,
  eventNames,
  operations,
  secretSettings,
  type SettingKey,
  settingKeys,
  type Settings,
} from '@posthorn/contracts'
import { type Db, readSettings } from '@posthorn/db'
import { handle } from '../../http/handle.ts'
import { maskHeaders, maskUrl } from '../../http/masks.ts'
import { listSealedSettings } from '../../store/settings.ts'
import { assertSettingsAllowed, readableSettings } from './setting-permissions.ts'

const secret = new Set<string>(secretSettings)
const addresses = new Set<string>(addressSettings)

/** Reads the requested settings, or all readable ones without a query. Unset ones are null. */
export function onGetSettings({ db }: { db: Db }) {
  const operation = operations.getSettings
  return handle(operation, async ({ query, caller }) => {
    const keys =
      Object.keys(query).length === 0
        ? readableSettings(caller)
        : settingKeys.filter((key) => query[key])
    assertSettingsAllowed(caller, operation, keys)
    const [settings, sealed] = await Promise.all([readSettings(db), listSealedSettings(db)])
    const entries = keys.map((key): [string, unknown] => [
      key,
      secret.has(key) ? sealed.has(key) : describeSetting(settings, key),
    ])
    return {
      ...Object.fromEntries(entries),
      ...(query.eventTypes ? { eventTypes: eventNames } : {}),
    }
  })
}

/** Masks credentials in addresses and the values of headers. */
function describeSetting(settings: Settings, key: SettingKey): unknown {
  if (key === 'webhooksCustomHeaders')
    return settings[key]
      ? maskHeaders(settings[key].map(({ key, value = '' }) => ({ key, value })))
      : null
  const value = settings[key] ?? null
  return addresses.has(key) && typeof value === 'string' ? maskUrl(value) : value
}
