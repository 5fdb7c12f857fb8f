import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { Bool, Strict, Texts } from '../schemas/primitives.ts'
import {
  secretSettings,
  type SettingKey,
  settingKeys,
  settings,
  SettingsUpdate,
} from '../settings/settings.ts'
import { namesUnsupported } from '../settings/unsupported-settings.ts'

const flag = (description: string) => Type.Optional(Bool(description))
const flags = Object.fromEntries(
  settingKeys.map((key) => [key, flag(`If true, the response contains the setting \`${key}\`.`)]),
) as Record<SettingKey, ReturnType<typeof flag>>

const secret = new Set<string>(secretSettings)

/**
 * Settings of the installation as the API returns them. An unset setting is null, a secret setting
 * is true or false.
 */
const SettingsRecord = Type.Object({
  ...Object.fromEntries(
    settingKeys.map((key) => [
      key,
      Type.Optional(
        secret.has(key) ? Bool(`True if the setting \`${key}\` has a value.`) : settings[key],
      ),
    ]),
  ),
  eventTypes: Type.Optional(
    Texts('Names of all events that exist, as values for `webhookEvents`.'),
  ),
})

export const getSettings = defineOperation({
  id: 'getSettings',
  method: 'get',
  path: '/v1/settings',
  tag: 'Settings',
  summary: 'Read settings',
  description:
    'Returns the settings that the query names, such as `?webhooks=true&notifyText=true`. Without a query, returns all settings that the token may read. A secret setting is returned as true (set) or false.',
  scope: 'api',
  permission: { action: 'read', group: 'admin', byKey: true },
  query: Strict(
    {
      ...flags,
      eventTypes: flag(
        'If true, the response contains the names of all events (`eventTypes`). Defaults to false.',
      ),
    },
    namesUnsupported,
  ),
  responseDescription: 'Requested settings. An unset setting is null.',
  response: Type.Unsafe<Record<string, unknown>>(SettingsRecord),
})

export const updateSettings = defineOperation({
  id: 'updateSettings',
  method: 'post',
  path: '/v1/settings',
  tag: 'Settings',
  summary: 'Change settings',
  description:
    'Changes all settings in the request, or none if the request is invalid. `null` unsets a setting. All services use the new values within seconds, without a restart. A token with a permissions record cannot change settings (403).',
  scope: 'api',
  permission: { action: 'write', group: 'admin', byKey: true },
  body: SettingsUpdate,
  responseDescription: 'Names of the settings that the request has changed.',
  errors: ['StepUpRequired'],
  response: Type.Object({ updated: Texts('Names of the settings that the request has changed.') }),
})
