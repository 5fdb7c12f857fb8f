import { getSettings, updateSettings } from '@posthorn/client/operations'
import type { UpdateSettingsInput } from '@posthorn/client'
import type { Load } from './load-state.ts'
import { calls } from './query-client.ts'
import { useLoad } from './use-load.ts'

/** Cache key of the settings. */
export const settingsKey = ['settings'] as const

/**
 * Values of the settings by key. Null: the setting is unset. Secrets are true if they have a value,
 * otherwise false.
 */
export type SettingValues = Readonly<Record<string, unknown>>

/** Loads the values of settings. */
export function useSettings(keys: readonly string[]): Load<SettingValues> {
  const query = Object.fromEntries(keys.map((key) => [key, true]))
  return useLoad([...settingsKey, keys.join()], async (): Promise<SettingValues> => ({
    ...(await getSettings(calls.api, query)),
  }))
}

/** Changes one setting of the installation. Null unsets the setting. */
export const changeSetting = ({ key, value }: { key: string; value: unknown }) =>
  changeSettings({ [key]: value })

/** Changes several settings of the installation. Null unsets a setting. */
export const changeSettings = (values: SettingValues) =>
  updateSettings(calls.api, { body: values as UpdateSettingsInput['body'] })
