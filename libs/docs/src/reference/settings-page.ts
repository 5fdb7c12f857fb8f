import {
  privilegedSettings,
  secretSettings,
  settingKeys,
} from '@posthorn/contracts/settings/settings'
import { type ApiSchema, apiDocument } from './api-document.ts'
import { markdownPage, markdownTable } from './markdown.ts'
import { namedSchemaSection } from './member-table.ts'
import { memberRows } from './schema-rows.ts'

const introduction = `Settings can change while the installation runs. \`GET /v1/settings\` reads them and
\`POST /v1/settings\` changes them ([operations](operations/settings.md)). The variable \`SVC_SETTINGS\` sets them at
every start. A change takes effect in all processes within 1 s. \`null\` unsets a setting. An invalid value or an unknown
name is rejected with a 400, and nothing of the request is stored.

- Privileged: a token with permissions can neither read nor change the setting.
- Sealed: the value is stored encrypted and read back as true or false.`

/** Documentation page of all settings, with their types, limits and descriptions. */
export function settingsPage(): string {
  const { properties = {} } = apiDocument.components.schemas['Settings'] ?? {}
  return markdownPage(
    {
      title: 'Settings',
      description: 'Settings of the installation: names, types, limits, defaults and meaning.',
      order: 3,
    },
    [
      introduction,
      markdownTable(
        ['setting', 'type', 'description'],
        settingKeys.flatMap((key) => settingRows(key, properties[key] ?? {})),
      ),
      ...namedSchemaSection(properties),
    ],
  )
}

function settingRows(key: string, schema: ApiSchema): string[][] {
  return memberRows({ properties: { [key]: schema } }).map(({ path, type, description }) => [
    `\`${path}\``,
    type.replace(' or null', ''),
    path === key ? `${marksOf(key)}${description}` : description,
  ])
}

function marksOf(key: string): string {
  const names: readonly string[] = privilegedSettings
  const secrets: readonly string[] = secretSettings
  const marks = [
    ...(names.includes(key) ? ['Privileged'] : []),
    ...(secrets.includes(key) ? ['sealed'] : []),
  ].join(', ')
  return marks === '' ? '' : `${marks.slice(0, 1).toUpperCase()}${marks.slice(1)}. `
}
