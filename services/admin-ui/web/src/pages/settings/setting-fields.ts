import {
  secretSettings,
  settingDefaults,
  settingKeys,
  settings,
} from '@posthorn/contracts/settings/settings'

/** Kind of form field with which a setting is edited. */
export type FieldKind = 'flag' | 'number' | 'text' | 'json'

/** Setting of the installation, with its meaning and the kind of its field. */
export interface SettingField {
  key: string
  group: string
  description: string
  kind: FieldKind
  /** True if the API reports only whether the setting has a value, and never the value. */
  isSecret: boolean
  /**
   * Default of the setting as JSON. Absent: no default, or a default that the description explains.
   */
  defaultText?: string
}

interface SchemaPart {
  type?: string
  description?: string
  anyOf?: readonly SchemaPart[]
}

/**
 * Groups of settings, by the beginnings of the settings' keys. The first group that matches
 * applies.
 */
const groups: readonly (readonly [group: string, pattern: RegExp])[] = [
  ['Webhooks', /^(?:webhook|serviceSecret)/],
  ['Content of events', /^(?:notify|inboxNewOnly)/],
  ['IMAP proxy', /^imapProxy/],
  ['SMTP proxy', /^smtpServer/],
  ['Summaries', /^(?:openAi|generateEmailSummary)/],
  ['Exports', /^export/],
  ['Tracking and templates', /^(?:track|template)/],
  ['Network', /^(?:smtp|imap|proxy|httpProxy|localAddresses|ignoreMailCertErrors|enableApiProxy)/],
]

const secrets: ReadonlySet<string> = new Set(secretSettings)

/** All settings of the installation, in the order of their groups. */
export const settingFields: readonly SettingField[] = settingKeys
  .map((key) => fieldOf(key, settings[key] as SchemaPart))
  .toSorted((first, second) => rank(first.group) - rank(second.group))

function fieldOf(key: string, schema: SchemaPart): SettingField {
  const part = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema
  const defaults: Readonly<Record<string, unknown>> = settingDefaults
  const value = defaults[key]
  return {
    key,
    group: groups.find(([, pattern]) => pattern.test(key))?.[0] ?? 'General',
    description: schema.description ?? part.description ?? '',
    kind: kindOf(part),
    isSecret: secrets.has(key),
    ...(value !== undefined && { defaultText: JSON.stringify(value) }),
  }
}

function rank(group: string): number {
  return groups.findIndex(([name]) => name === group)
}

function kindOf({ type }: SchemaPart): FieldKind {
  if (type === 'boolean') return 'flag'
  if (type === 'integer' || type === 'number') return 'number'
  return type === 'string' ? 'text' : 'json'
}

/** Settings whose key or meaning contains all words of the search text. */
export function findSettings(text: string): readonly SettingField[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return settingFields.filter(({ key, description }) => {
    const searched = `${key} ${description}`.toLowerCase()
    return words.every((word) => searched.includes(word))
  })
}

/**
 * Text that a form field shows for the value of a setting. Unset values and secrets are empty, so
 * that the form never stores the API's `true` or `false` for a secret as its value.
 */
export function textOfValue(
  { kind, isSecret }: Pick<SettingField, 'kind' | 'isSecret'>,
  value: unknown,
): string {
  if (isSecret || value === undefined || value === null) return ''
  return kind === 'json' ? JSON.stringify(value, null, 2) : String(value as string | number)
}

/** Text for the value of a setting in the list of settings. */
export function shownValue(field: SettingField, value: unknown): string {
  if (field.isSecret) return value === true ? 'set, not shown' : 'unset'
  const text = textOfValue(field, value)
  if (text !== '') return text
  return field.defaultText === undefined ? 'unset' : `unset, default ${field.defaultText}`
}

/**
 * Value of a setting from the text of its form field. An empty text unsets the setting.
 *
 * @throws SyntaxError if the text of a JSON field is not JSON
 */
export function valueOfText(kind: FieldKind, text: string): unknown {
  if (text === '') return null
  if (kind === 'flag') return text === 'true'
  if (kind === 'number') return Number(text)
  return kind === 'text' ? text : (JSON.parse(text) as unknown)
}
