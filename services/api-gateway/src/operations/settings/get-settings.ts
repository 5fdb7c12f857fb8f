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
import { listSealedSettings } from '../../store/settings.ts'
import { handle } from '../../http/route.ts'
import { maskHeaders, maskUrl } from '../../http/masks.ts'
import { assertSettingsAllowed, readableSettings } from './privileged.ts'

const secret = new Set<string>(secretSettings)
const addresses = new Set<string>(addressSettings)

/** Answers the settings asked for, or all that may be read; unset ones are null. */
export function onGetSettings({ db }: { db: Db }) {
  const operation = operations.getSettings
  return handle(operation, async ({ query, caller }) => {
    const asked = isEmpty(query)
      ? readableSettings(caller)
      : settingKeys.filter((key) => query[key])
    assertSettingsAllowed(caller, operation, asked)
    const [settings, sealed] = await Promise.all([readSettings(db), listSealedSettings(db)])
    const entries = asked.map((key): [string, unknown] => [
      key,
      secret.has(key) ? sealed.has(key) : shown(settings, key),
    ])
    return {
      ...Object.fromEntries(entries),
      ...(query.eventTypes ? { eventTypes: eventNames } : {}),
    }
  })
}

function isEmpty(query: object): boolean {
  return Object.keys(query).length === 0
}

/** A setting as it may be shown: credentials in addresses and the values of headers are masked. */
function shown(settings: Settings, key: SettingKey): unknown {
  if (key === 'webhooksCustomHeaders')
    return settings[key]
      ? maskHeaders(settings[key].map(({ key, value = '' }) => ({ key, value })))
      : null
  const value = settings[key] ?? null
  return addresses.has(key) && typeof value === 'string' ? maskUrl(value) : value
}
