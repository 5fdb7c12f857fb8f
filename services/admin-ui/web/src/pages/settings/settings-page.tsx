import { useState } from 'react'
import { changeSetting, settingsKey, type SettingValues, useSettings } from '../../data/settings.ts'
import { useRights } from '../../data/session.ts'
import { useAction } from '../../data/use-load.ts'
import { Filters, PageBody, Panel } from '../../kit/content/panel.tsx'
import { Button } from '../../kit/controls/button.tsx'
import { SelectField } from '../../kit/controls/select-field.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { Form } from '../../kit/forms/form.tsx'
import { Dialog } from '../../kit/overlays/dialog.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { type Column, DataTable } from '../../kit/table/data-table.tsx'
import { usePageQuery } from '../../routing/navigation.tsx'
import {
  findSettings,
  type SettingField,
  settingFields,
  shownValue,
  textOfValue,
  valueOfText,
} from './setting-fields.ts'

const keys = settingFields.map(({ key }) => key)

/** Page that lists all settings with their meanings and values. */
export function SettingsPage() {
  const [query, change] = usePageQuery()
  const load = useSettings(keys)
  const found = findSettings(query['query'] ?? '')
  const groups = [...new Set(found.map(({ group }) => group))]
  return (
    <PageBody>
      <Filters>
        <TextField
          label="Search"
          type="search"
          isSearch
          value={query['query'] ?? ''}
          onChange={(text) => change({ query: text })}
        />
      </Filters>
      <Loaded
        load={load}
        lines={12}
        isEmpty={() => found.length === 0}
        empty={<p>No setting matches the search.</p>}
      >
        {(values) => (
          <PageBody>
            {groups.map((group) => (
              <SettingGroup
                key={group}
                title={group}
                fields={found.filter((field) => field.group === group)}
                values={values}
              />
            ))}
          </PageBody>
        )}
      </Loaded>
    </PageBody>
  )
}

interface SettingGroupProps {
  title: string
  fields: readonly SettingField[]
  values: SettingValues
}

function SettingGroup({ title, fields, values }: SettingGroupProps) {
  const columns: readonly Column<SettingField>[] = [
    { title: 'Setting', isWide: true, cell: ({ key }) => <code>{key}</code> },
    { title: 'Meaning', isWide: true, cell: ({ description }) => description },
    {
      title: 'Value',
      isWide: true,
      cell: (field) => <code>{shownValue(field, values[field.key])}</code>,
    },
    { title: 'Actions', cell: (field) => <EditButton field={field} value={values[field.key]} /> },
  ]
  return (
    <Panel title={title}>
      <DataTable label={title} rows={fields} columns={columns} keyOf={({ key }) => key} />
    </Panel>
  )
}

function EditButton({ field, value }: { field: SettingField; value: unknown }) {
  const may = useRights()
  const [isOpen, setOpen] = useState(false)
  if (!may('changeSettings')) return '–'
  return (
    <>
      <Button onPress={() => setOpen(true)} label={`Change ${field.key}`}>
        Change
      </Button>
      <Dialog title={field.key} isOpen={isOpen} onClose={() => setOpen(false)}>
        <EditForm field={field} value={value} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

interface EditFormProps {
  field: SettingField
  value: unknown
  onDone: () => void
}

function EditForm({ field, value, onDone }: EditFormProps) {
  const { key, kind, description, isSecret } = field
  const change = useAction(
    async (text: string) => changeSetting({ key, value: valueOfText(kind, text) }),
    { refresh: [settingsKey], onDone },
  )
  const text = textOfValue(field, value)
  return (
    <Form
      submit="Save"
      isRunning={change.isRunning}
      error={change.error}
      onSubmit={(values) => change.run(values['value'] ?? '')}
    >
      <p>{description}</p>
      {kind === 'flag' ? (
        <SelectField label="Value" name="value" defaultValue={text} options={flagOptions} />
      ) : (
        <TextField
          label="Value"
          name="value"
          defaultValue={text}
          hint={hintOf(field)}
          isMultiline={kind === 'json'}
          type={isSecret ? 'password' : kind === 'number' ? 'number' : 'text'}
          {...(isSecret && { autoComplete: 'new-password' })}
          autoFocus
        />
      )}
    </Form>
  )
}

function hintOf({ kind, isSecret }: SettingField): string {
  const texts = [
    ...(kind === 'json' ? ['JSON.'] : []),
    ...(isSecret ? ['The stored value is not shown.'] : []),
    'Empty unsets the setting.',
  ]
  return texts.join(' ')
}

const flagOptions = [
  { value: '', label: 'unset' },
  { value: 'true', label: 'true' },
  { value: 'false', label: 'false' },
]
