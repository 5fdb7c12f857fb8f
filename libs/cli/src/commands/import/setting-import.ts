import type { Settings } from '@posthorn/client'
import {
  secretSettings,
  seededSettings,
  settingDefaults,
} from '@posthorn/contracts/settings/settings'
import type { MappedEntry } from '@posthorn/emailengine'
import type { BatchResult, KindImport } from './import-kind.ts'
import type { ImportParts } from './kind-imports.ts'

type SettingValues = Readonly<Record<string, unknown>>

/**
 * Values of Posthorn's settings that were not changed since the first start of the installation.
 */
const initialValues: SettingValues = { ...settingDefaults, ...seededSettings }
/** Text that the API shows instead of a password in a setting. */
const mask = '******'

/**
 * Import of EmailEngine settings into settings that still have their first values in this
 * installation.
 */
export async function settingImport({ posthorn, signal, store, counts, dryRun }: ImportParts) {
  const current = (await posthorn.getSettings({}, { signal })) as SettingValues
  return {
    kind: 'settings',
    entries: store.settings(),
    total: counts.settings,
    async write([entry]: readonly MappedEntry<object>[]): Promise<BatchResult> {
      if (!entry) return {}
      const { id } = entry
      const body = entry.input.reveal() as Settings & SettingValues
      const effect = effectOn(id, { current: current[id], value: body[id] })
      if (effect === 'same') return { unchanged: 1 }
      if (effect !== 'import') return { skipped: [{ id, reason: effect }] }
      if (!dryRun) await posthorn.updateSettings({ body }, { signal })
      return {}
    },
  } satisfies KindImport<object>
}

/**
 * Effect of the EmailEngine import on a setting of Posthorn: `import`, `same`, or the reason for
 * which the setting is skipped.
 */
export function effectOn(
  name: string,
  { current, value }: { current: unknown; value: unknown },
): string {
  if ((secretSettings as readonly string[]).includes(name)) {
    // The API returns only whether a secret setting is set, never the secret.
    return current === true ? 'the setting is set here, and secrets cannot be compared' : 'import'
  }
  if (isSame(current, value)) return 'same'
  return isSame(current, initialValues[name]) ? 'import' : 'the setting has another value here'
}

/** Compares two values of a setting as JSON. A mask in the first value stands for any text. */
function isSame(current: unknown, value: unknown): boolean {
  const [left, right] = [JSON.stringify(current ?? null), JSON.stringify(value ?? null)]
  if (!left.includes(mask)) return left === right
  return new RegExp(`^${left.split(mask).map(escape).join('.*?')}$`, 's').test(right)
}

/**
 * Escapes a part of a setting's value for the regular expression that compares values with masked
 * passwords.
 */
function escape(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
}
