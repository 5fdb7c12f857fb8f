import { useState } from 'react'
import { Button } from '../../kit/controls/button.tsx'
import { CheckBox } from '../../kit/controls/check-box.tsx'
import { SelectField } from '../../kit/controls/select-field.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import type { AppValues } from './app-body.ts'
import type { AppField } from './app-fields.ts'

export interface AppFormFieldsProps {
  fields: readonly AppField[]
  values: AppValues
  onChange: (name: string, value: string) => void
  /** Names of the secrets of an OAuth2 application that the API has stored. */
  stored?: ReadonlySet<string>
}

/** Fields of the form for an OAuth2 application. */
export function AppFormFields({ fields, values, onChange, stored }: AppFormFieldsProps) {
  return fields.map((field) => {
    const props = {
      value: values[field.name] ?? '',
      onChange: (value: string) => onChange(field.name, value),
    }
    return field.kind === 'secret' ? (
      <SecretField
        key={field.name}
        field={field}
        isStored={stored?.has(field.name) === true}
        {...props}
      />
    ) : (
      <PlainField key={field.name} field={field} {...props} />
    )
  })
}

interface FieldProps {
  field: AppField
  value: string
  onChange: (value: string) => void
}

const inputTypes = { text: 'text', url: 'url', number: 'number', scopes: 'text' } as const

function PlainField({ field, value, onChange }: FieldProps) {
  const { kind, label, hint, options = [], isRequired } = field
  if (kind === 'flag')
    return (
      <CheckBox isSelected={value === 'true'} onChange={(is) => onChange(is ? 'true' : '')}>
        {label}
      </CheckBox>
    )
  if (kind === 'choice')
    return (
      <SelectField
        label={label}
        value={value || (options[0] ?? '')}
        onChange={onChange}
        options={options.map((each) => ({ value: each, label: each }))}
        {...(hint !== undefined && { hint })}
      />
    )
  const shownHint = kind === 'scopes' ? 'Separated by spaces.' : hint
  return (
    <TextField
      label={label}
      type={inputTypes[kind as keyof typeof inputTypes]}
      value={value}
      onChange={onChange}
      isRequired={isRequired ?? false}
      autoComplete="off"
      {...(shownHint !== undefined && { hint: shownHint })}
    />
  )
}

/**
 * Field for a secret. A stored secret is never shown. A long secret from a file is not shown either
 * until the person enters another one.
 */
function SecretField({ field, value, onChange, isStored }: FieldProps & { isStored: boolean }) {
  const { label, hint, isLong } = field
  const [isTyped, setTyped] = useState(false)
  if (isLong === true && value !== '' && !isTyped)
    return (
      <div>
        <p>{label}: read from the file, not shown.</p>
        <Button onPress={() => onChange('')}>Remove the {label.toLowerCase()}</Button>
      </div>
    )
  const hints = [hint, isStored ? 'Stored, not shown. Empty keeps the stored value.' : undefined]
  return (
    <TextField
      label={label}
      value={value}
      onChange={(text) => {
        setTyped(text !== '')
        onChange(text)
      }}
      hint={hints.filter((each) => each !== undefined).join(' ')}
      autoComplete={isLong === true ? 'off' : 'new-password'}
      {...(isLong === true ? { isMultiline: true } : { type: 'password' as const })}
    />
  )
}
