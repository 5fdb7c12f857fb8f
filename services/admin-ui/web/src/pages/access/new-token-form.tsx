import { tokenActions, tokensKey } from '../../data/tokens.ts'
import { useAction } from '../../data/use-load.ts'
import { CopyBox } from '../../kit/content/copy-box.tsx'
import { SelectField } from '../../kit/controls/select-field.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { Form } from '../../kit/forms/form.tsx'
import { tokenBody, type TokenPreset, tokenPresets } from './token-body.ts'

/** Form that creates an access token. The value of the token is shown once. */
export function NewTokenForm() {
  const create = useAction(
    (values: Readonly<Record<string, string>>) => tokenActions.create(tokenBody(values)),
    { refresh: [tokensKey] },
  )
  return (
    <>
      <Form
        submit="Create the token"
        isRunning={create.isRunning}
        error={create.error}
        onSubmit={(values) => create.run(values)}
      >
        <TextField label="Description" name="description" isRequired />
        <TextField label="Account id" name="account" hint="Empty: the token is for all accounts." />
        <SelectField label="Use" name="scope" defaultValue="api" options={scopes} />
        <SelectField
          label="Rights at the API"
          name="preset"
          defaultValue="read"
          options={presets}
        />
        <TextField label="Expires" name="expires" type="datetime-local" hint="Empty: never." />
      </Form>
      {create.result && (
        <div role="status">
          <p>Copy the value now. The value is not stored and not shown again.</p>
          <CopyBox text={create.result.token} label="Copy the value" />
        </div>
      )}
    </>
  )
}

const scopes = [
  { value: 'api', label: 'API' },
  { value: 'smtp', label: 'SMTP proxy' },
  { value: 'imap-proxy', label: 'IMAP proxy' },
]

const presets = (Object.keys(tokenPresets) as TokenPreset[]).map((value) => ({
  value,
  label: tokenPresets[value].label,
}))
