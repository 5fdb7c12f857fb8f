import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { Bool, Strict, Texts } from '../schemas/primitives.ts'
import { type SettingKey, settingKeys, SettingsUpdate } from '../settings/settings.ts'
import { namesUnsupported } from '../settings/unsupported-settings.ts'

const flag = (description: string) => Type.Optional(Bool(description))
const flags = Object.fromEntries(
  settingKeys.map((key) => [key, flag(`If true, returns the setting \`${key}\`.`)]),
) as Record<SettingKey, ReturnType<typeof flag>>

export const getSettings = defineOperation({
  id: 'getSettings',
  method: 'get',
  path: '/v1/settings',
  tag: 'Settings',
  summary: 'Read settings',
  description:
    'Returns the settings named in the query (`?webhooks=true&notifyText=true`). Without a query, returns all settings the token may read. Secret settings are returned as true or false.',
  scope: 'api',
  permission: { action: 'read', group: 'admin', byKey: true },
  query: Strict(
    { ...flags, eventTypes: flag('If true, adds the names of all events.') },
    namesUnsupported,
  ),
  response: Type.Record(Type.String(), Type.Unknown()),
})

export const updateSettings = defineOperation({
  id: 'updateSettings',
  method: 'post',
  path: '/v1/settings',
  tag: 'Settings',
  summary: 'Change settings',
  scope: 'api',
  permission: { action: 'write', group: 'admin', byKey: true },
  body: SettingsUpdate,
  response: Type.Object({ updated: Texts('Names of the changed settings.') }),
})
