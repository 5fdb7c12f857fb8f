import { useState } from 'react'
import { gatewayActions, gatewaysKey } from '../../data/lists/gateways.ts'
import { useAction } from '../../data/use-load.ts'
import { Button } from '../../kit/controls/button.tsx'
import { CheckBox } from '../../kit/controls/check-box.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { Form } from '../../kit/forms/form.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { type GatewayValues, testedServer } from './gateway-body.ts'

export interface GatewayFormProps {
  initial: GatewayValues
  submit: string
  /** Stores the SMTP gateway of the form, and returns its id. */
  save: (values: GatewayValues) => Promise<string>
  onDone?: (gateway: string) => void
  /**
   * True if a password of the SMTP gateway is stored, which the form does not show. Absent for a
   * new gateway.
   */
  hasPassword?: boolean
}

/** Form for an SMTP gateway and its server, with a test of the login. */
export function GatewayForm({ initial, submit, save, onDone, hasPassword }: GatewayFormProps) {
  const isNew = hasPassword === undefined
  const [values, setValues] = useState(initial)
  const set = (name: string) => (value: string) => setValues({ ...values, [name]: value })
  const field = (name: string) => ({ value: values[name] ?? '', onChange: set(name) })
  const saving = useAction(save, {
    refresh: [gatewaysKey],
    onDone: (gateway) => {
      setValues((current) => ({ ...current, pass: '' }))
      onDone?.(gateway)
    },
  })
  return (
    <Form
      submit={submit}
      isRunning={saving.isRunning}
      error={saving.error}
      onSubmit={() => saving.run(values)}
      buttons={<TestLogin values={values} isStored={hasPassword === true} />}
    >
      <TextField label="Name" isRequired {...field('name')} />
      {isNew && (
        <TextField
          label="Gateway id (optional)"
          hint="The id in API requests. Chosen automatically if empty."
          {...field('gateway')}
        />
      )}
      <TextField label="SMTP server" isRequired {...field('host')} />
      <TextField label="Port" type="number" isRequired {...field('port')} />
      <CheckBox
        isSelected={values['secure'] === 'true'}
        onChange={(isSecure) => set('secure')(isSecure ? 'true' : '')}
      >
        The server uses TLS from the start
      </CheckBox>
      <TextField
        label="User name"
        hint="Empty: the server requires no login."
        autoComplete="off"
        {...field('user')}
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="new-password"
        {...(hasPassword === true && {
          hint: 'Stored, not shown. Empty keeps the stored password, except for another server.',
        })}
        {...field('pass')}
      />
      {saving.isDone && <p role="status">Saved. The change also applies to queued messages.</p>}
    </Form>
  )
}

interface TestLoginProps {
  values: GatewayValues
  isStored: boolean
}

/** Button that tries the login at the SMTP server of the form, without storing anything. */
function TestLogin({ values, isStored }: TestLoginProps) {
  const test = useAction(() => gatewayActions.verify(testedServer(values)))
  const needsPassword = isStored && Boolean(values['user']) && !values['pass']
  const { smtp } = test.result ?? {}
  return (
    <>
      <Button
        onPress={() => test.run(undefined)}
        isPending={test.isRunning}
        isDisabled={!values['host'] || needsPassword}
      >
        Test the login
      </Button>
      {needsPassword && <p>Enter the password to test the login.</p>}
      {test.error && <ErrorBox error={test.error} />}
      {smtp && (
        <p role="status">
          {smtp.success ? 'The login works.' : `The login fails: ${smtp.error ?? 'unknown reason'}`}
        </p>
      )}
    </>
  )
}
