import { isDeepStrictEqual } from 'node:util'
import { CommandError } from '../../exit-codes.ts'
import { isMapping } from '../../io/read-document.ts'
import { hasSecret, isMasked, isSecretSetting } from './secret-settings.ts'

export type SettingValues = Readonly<Record<string, unknown>>

/** Difference between a setting in a file and the setting on the server. */
export interface SettingChange {
  key: string
  from: unknown
  to: unknown
}

/** Members in the output of `settings get --json` that are no settings. */
const readOnly = new Set(['eventTypes'])

/** Reads the settings of a file. */
export function readSettingsOf(document: unknown, file: string): SettingValues {
  if (!isMapping(document))
    throw new CommandError(`${file} has no settings: write a line \`key: value\` for each`)
  return document
}

/**
 * Settings of a file that differ from the server's settings. Settings that the file lacks stay. A
 * masked secret is no difference; other secrets always are, because they cannot be compared.
 */
export function planSettings(wanted: SettingValues, stored: SettingValues): SettingChange[] {
  return Object.entries(wanted).flatMap(([key, to]) => {
    if (readOnly.has(key) || isMasked(key, to)) return []
    const from = stored[key] ?? null
    const isUnset = isSecretSetting(key) && to === null && from === false
    return isUnset || isDeepStrictEqual(from, to) ? [] : [{ key, from, to }]
  })
}

/** Text of a setting's change for people. Secrets are not shown. */
export function describeChange({ key, from, to }: SettingChange): string {
  return `${key}: ${show(key, from)} -> ${show(key, to)}`
}

function show(key: string, value: unknown): string {
  if (hasSecret(key, value)) return '(secret)'
  return JSON.stringify(value)
}
