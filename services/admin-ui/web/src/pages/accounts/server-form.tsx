import { useState } from 'react'
import { accountActions, accountsKey } from '../../data/accounts.ts'
import { useAction } from '../../data/use-load.ts'
import { Button } from '../../kit/controls/button.tsx'
import { CheckBox } from '../../kit/controls/check-box.tsx'
import { Form } from '../../kit/forms/form.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { useNavigate } from '../../routing/navigation.tsx'
import { bodyOfForm, serversOfForm, valuesOfServers } from './account-body.ts'
import { LoginResult } from './login-result.tsx'

/** Returns a function that opens the page of a newly registered account. */
export function useOpenAccount(): (result: { account?: string }) => void {
  const navigate = useNavigate()
  return ({ account }) =>
    account !== undefined && navigate({ to: '/accounts/$account', params: { account } })
}

/**
 * Form that registers an account, with email address, password and mail servers. The servers can be
 * looked up.
 */
export function ServerForm() {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({
    imapSecure: 'true',
    imapPort: '993',
    smtpSecure: 'true',
    smtpPort: '465',
  })
  const set = (name: string) => (value: string) => setValues({ ...values, [name]: value })
  const field = (name: string) => ({ name, value: values[name] ?? '', onChange: set(name) })
  const onDone = useOpenAccount()
  const add = useAction(() => accountActions.add(bodyOfForm(values)), {
    onDone,
    refresh: [accountsKey],
  })
  const lookUp = useAction(() => accountActions.autoconfig(values['email'] ?? ''), {
    onDone: (found) => setValues({ ...values, ...valuesOfServers(found) }),
  })
  return (
    <Form
      submit="Add the account"
      isRunning={add.isRunning}
      error={add.error}
      onSubmit={() => add.run(undefined)}
      buttons={<TestLogin values={values} />}
    >
      <TextField label="Email address" type="email" isRequired {...field('email')} />
      <Button
        onPress={() => lookUp.run(undefined)}
        isPending={lookUp.isRunning}
        isDisabled={!values['email']}
      >
        Look up the servers
      </Button>
      {lookUp.error && <ErrorBox error={lookUp.error} />}
      <TextField label="Name" {...field('name')} />
      <TextField
        label="Account id (optional)"
        hint="The id in API requests. Chosen automatically if empty."
        {...field('account')}
      />
      <TextField label="User name" hint="The email address if empty." {...field('user')} />
      <TextField label="Password" type="password" autoComplete="off" {...field('password')} />
      <ServerFields name="imap" title="IMAP" values={values} set={set} />
      <ServerFields name="smtp" title="SMTP" values={values} set={set} />
    </Form>
  )
}

interface ServerFieldsProps {
  name: 'imap' | 'smtp'
  title: string
  values: Readonly<Record<string, string>>
  set: (name: string) => (value: string) => void
}

function ServerFields({ name, title, values, set }: ServerFieldsProps) {
  return (
    <>
      <TextField
        label={`${title} server`}
        value={values[`${name}Host`] ?? ''}
        onChange={set(`${name}Host`)}
      />
      <TextField
        label={`${title} port`}
        type="number"
        value={values[`${name}Port`] ?? ''}
        onChange={set(`${name}Port`)}
      />
      <CheckBox
        isSelected={values[`${name}Secure`] === 'true'}
        onChange={(isSecure) => set(`${name}Secure`)(isSecure ? 'true' : '')}
      >
        {title} uses TLS from the start
      </CheckBox>
    </>
  )
}

/** Button that tries the logins at the mail servers of the form, without storing anything. */
function TestLogin({ values }: { values: Readonly<Record<string, string>> }) {
  const test = useAction(() => accountActions.verify(serversOfForm(values)))
  const { result } = test
  return (
    <>
      <Button onPress={() => test.run(undefined)} isPending={test.isRunning}>
        Test the login
      </Button>
      {test.error && <ErrorBox error={test.error} />}
      {result && <LoginResult result={result} />}
    </>
  )
}
