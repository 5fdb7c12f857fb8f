import {
  type SettingKey,
  settingKeys,
  settings,
  SettingsUpdate,
} from '@posthorn/contracts/settings/settings'
import { matches } from '@posthorn/contracts/validate'
import { tryParse } from '../decode.ts'
import type { Entry } from '../entry.ts'
import { fitInput } from './fit-input.ts'
import { isUnset } from './values.ts'

/** Body of the API operation `updateSettings` with a single setting. */
export type SettingInput = SettingsUpdate

/** A setting of EmailEngine is imported as a whole or skipped. */
const essential = { valid: /./, complete: /./ }

/**
 * Maps a setting of EmailEngine, whose value is stored as JSON or as plain text, to the body of
 * `updateSettings`.
 */
export function mapSetting(name: string, text: string): Entry<SettingInput> {
  const parsed = tryParse(text)
  if (isUnset(parsed)) return { kind: 'setting', id: name, skipped: 'the setting has no value' }
  const schema = isSettingKey(name) ? settings[name] : undefined
  // The value of the EmailEngine setting is plain text, such as a number in a setting that is a
  // text.
  const isText =
    schema && typeof parsed !== 'string' && !matches(schema, parsed) && matches(schema, text)
  return fitInput(
    { kind: 'setting', id: name, schema: SettingsUpdate, essential },
    { candidate: { [name]: isText ? text : parsed } },
  )
}

function isSettingKey(name: string): name is SettingKey {
  return (settingKeys as readonly string[]).includes(name)
}
