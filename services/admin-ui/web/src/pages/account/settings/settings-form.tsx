import { useState } from 'react'
import { type AccountRecord, accountActions, accountsKey } from '../../../data/accounts.ts'
import { useAction } from '../../../data/use-load.ts'
import { Panel } from '../../../kit/content/panel.tsx'
import { Button } from '../../../kit/controls/button.tsx'
import { SelectField } from '../../../kit/controls/select-field.tsx'
import { TextField } from '../../../kit/controls/text-field.tsx'
import { Form } from '../../../kit/forms/form.tsx'
import { ErrorBox } from '../../../kit/states/error-box.tsx'
import { LoginResult } from '../../accounts/login-result.tsx'
import {
  type AccountField,
  accountFields,
  type FieldTexts,
  testOf,
  textsOfAccount,
  updateOf,
  withoutSecrets,
} from './account-fields.ts'

const groups = [...new Set(accountFields.map(({ group }) => group))]

/**
 * Form for the usual members of an account. The form starts with the values at its opening, so that
 * a refresh does not overwrite entered texts.
 */
export function SettingsForm({ record }: { record: AccountRecord }) {
  const { account } = record
  const [stored, setStored] = useState<FieldTexts>(() => textsOfAccount(record))
  const [texts, setTexts] = useState(stored)
  const save = useAction(
    async (after: FieldTexts) => {
      const body = updateOf(record, stored, after)
      if (body === undefined) return { saved: after, text: 'No field has changed.' }
      await accountActions.update({ account, body })
      return { saved: withoutSecrets(after), text: 'The account is changed.' }
    },
    {
      refresh: [accountsKey],
      onDone: ({ saved }) => {
        setStored(saved)
        setTexts(saved)
      },
    },
  )
  return (
    <Form
      submit="Save"
      isRunning={save.isRunning}
      error={save.error}
      onSubmit={() => save.run(texts)}
      buttons={<TestButton record={record} texts={texts} />}
    >
      {groups.map((group) => (
        <Panel key={group} title={group}>
          {accountFields
            .filter((field) => field.group === group)
            .map((field) => (
              <Field
                key={field.key}
                field={field}
                value={texts[field.key] ?? ''}
                onChange={(text) => setTexts({ ...texts, [field.key]: text })}
              />
            ))}
        </Panel>
      ))}
      <p role="status">{texts === stored && save.result?.text}</p>
    </Form>
  )
}

interface FieldProps {
  field: AccountField
  value: string
  onChange: (text: string) => void
}

const secretHint = 'Empty: the stored password stays. Stored passwords are never shown.'

function Field({ field: { label, kind, description, isNullable }, value, onChange }: FieldProps) {
  const common = { label, value, onChange, hint: kind === 'secret' ? secretHint : description }
  if (kind === 'flag') {
    const unset = isNullable || value === '' ? [{ value: '', label: 'default' }] : []
    const options = [...unset, { value: 'true', label: 'yes' }, { value: 'false', label: 'no' }]
    return <SelectField {...common} options={options} />
  }
  if (kind === 'list') return <TextField {...common} isMultiline />
  if (kind === 'secret') return <TextField {...common} type="password" autoComplete="off" />
  return <TextField {...common} type={kind === 'number' ? 'number' : 'text'} />
}

/** Button that tries the logins of the form at the mail servers, without storing anything. */
function TestButton({ record, texts }: { record: AccountRecord; texts: FieldTexts }) {
  const test = useAction(accountActions.verify)
  const body = testOf(record, texts)
  return (
    <>
      <Button
        onPress={() => body && test.run(body)}
        isDisabled={body === undefined}
        isPending={test.isRunning}
      >
        Try before saving
      </Button>
      {body === undefined && <span>A try needs a password in the form.</span>}
      {test.error && <ErrorBox error={test.error} />}
      {test.result && <LoginResult result={test.result} />}
    </>
  )
}
