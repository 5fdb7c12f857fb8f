import { useState } from 'react'
import { changeSettings, settingsKey, type SettingValues } from '../../data/settings.ts'
import { useAction } from '../../data/use-load.ts'
import { CheckBox } from '../../kit/controls/check-box.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { Button } from '../../kit/controls/button.tsx'
import { Form } from '../../kit/forms/form.tsx'
import { Dialog } from '../../kit/overlays/dialog.tsx'
import {
  type MailProxy,
  proxyChanges,
  type ProxyField,
  proxyFields,
  proxyValues,
  removesPassword,
} from './proxy-fields.ts'

export interface ProxyFormProps {
  proxy: MailProxy
  stored: SettingValues
}

/** Button that opens the form for the settings of a mail proxy. */
export function ProxyForm({ proxy, stored }: ProxyFormProps) {
  const [isOpen, setOpen] = useState(false)
  const title = `Change the ${proxy.title}`
  return (
    <div>
      <Button onPress={() => setOpen(true)}>{title}</Button>
      <Dialog title={title} isOpen={isOpen} onClose={() => setOpen(false)}>
        <Fields proxy={proxy} stored={stored} onDone={() => setOpen(false)} />
      </Dialog>
    </div>
  )
}

function Fields({ proxy, stored, onDone }: ProxyFormProps & { onDone: () => void }) {
  // A refresh of the settings while the form is open must not count as a change by the person.
  const [before] = useState(stored)
  const [values, setValues] = useState(() => proxyValues(proxy, stored))
  const save = useAction(changeSettings, { refresh: [settingsKey], onDone })
  const set = (key: string) => (value: string) => setValues({ ...values, [key]: value })
  return (
    <Form
      submit="Save"
      isRunning={save.isRunning}
      error={save.error}
      onSubmit={() => save.run(proxyChanges(proxy, values, before))}
    >
      {proxyFields(proxy).map((field) => (
        <Field
          key={field.key}
          field={field}
          value={values[field.key] ?? ''}
          onChange={set(field.key)}
        />
      ))}
      {stored[`${proxy.prefix}Password`] === true && (
        <CheckBox
          isSelected={values[removesPassword] === 'true'}
          onChange={(isRemoved) => set(removesPassword)(isRemoved ? 'true' : '')}
        >
          Remove the stored password
        </CheckBox>
      )}
    </Form>
  )
}

interface FieldProps {
  field: ProxyField
  value: string
  onChange: (value: string) => void
}

function Field({ field: { kind, label, description }, value, onChange }: FieldProps) {
  if (kind === 'flag')
    return (
      <CheckBox isSelected={value === 'true'} onChange={(is) => onChange(is ? 'true' : '')}>
        {label}
      </CheckBox>
    )
  const isSecret = kind === 'secret'
  return (
    <TextField
      label={label}
      value={value}
      onChange={onChange}
      type={isSecret ? 'password' : kind}
      hint={isSecret ? `${description} Empty keeps the stored value.` : description}
      autoComplete={isSecret ? 'new-password' : 'off'}
    />
  )
}
