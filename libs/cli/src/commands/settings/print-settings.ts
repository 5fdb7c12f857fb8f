import type { GetSettingsInput } from '@posthorn/client'
import type { RunCommand } from '../../program/command.ts'
import { isSecretSetting } from './secret-settings.ts'

/**
 * Command `settings get`: prints the named settings, or all settings. The JSON output has all
 * settings as one object.
 */
export const printSettings: RunCommand = async ({ posthorn, output, signal }, keys, options) => {
  const query = Object.fromEntries(keys.map((key) => [key, true])) as GetSettingsInput
  const settings = await (await posthorn()).getSettings(query, { signal })
  if (output.isJson) return output.result(settings, '')
  const isAll = options['all'] === true || keys.length > 0
  const rows = Object.entries(settings).filter(
    ([key, value]) => isAll || (value !== null && !(isSecretSetting(key) && value === false)),
  )
  await output.table(
    rows,
    [
      { title: 'SETTING', text: ([key]) => key },
      { title: 'VALUE', text: ([key, value]) => describe(key, value) },
    ],
    { empty: 'no settings' },
  )
}

function describe(key: string, value: unknown): string {
  if (isSecretSetting(key)) return value === true ? '(secret)' : 'not set'
  if (value === null) return 'not set'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
