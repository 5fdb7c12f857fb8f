import { matches } from '@posthorn/contracts/validate'
import { type SettingKey, settings, settingKeys } from '@posthorn/contracts/settings/settings'
import { unsupportedSettings } from '@posthorn/contracts/settings/unsupported-settings'
import { Secret } from '@posthorn/config'
import { tryParse } from '../decode.ts'
import type { Entry } from '../entry.ts'
import { isUnset } from './values.ts'

/** Body of `updateSettings` with a single setting. */
export type SettingInput = Partial<Record<SettingKey, unknown>>

/**
 * Maps a setting, whose value is stored as JSON or as plain text, to the body of `updateSettings`.
 */
export function mapSetting(name: string, text: string): Entry<SettingInput> {
  const skip = (skipped: string) => ({ kind: 'setting', id: name, skipped }) as const
  if (Object.hasOwn(unsupportedSettings, name))
    return skip(`not supported: ${unsupportedSettings[name]}`)
  if (!isSettingKey(name)) return skip('Posthorn has no such setting')
  const value = [tryParse(text), text].find((candidate) => matches(settings[name], candidate))
  if (value === undefined) return skip('Posthorn does not accept the value')
  if (isUnset(value)) return skip('the setting has no value')
  const input = new Secret<SettingInput>({ [name]: value })
  return { kind: 'setting', id: name, input, changes: [], omitted: [] }
}

function isSettingKey(name: string): name is SettingKey {
  return (settingKeys as readonly string[]).includes(name)
}
