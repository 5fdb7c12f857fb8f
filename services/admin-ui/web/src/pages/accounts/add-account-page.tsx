import { type AccountBody, accountActions, accountsKey } from '../../data/accounts.ts'
import { readJsonObject } from '../../data/json-object.ts'
import { useAction } from '../../data/use-load.ts'
import { Form } from '../../kit/forms/form.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { CopyBox } from '../../kit/content/copy-box.tsx'
import { PageBody, Panel } from '../../kit/content/panel.tsx'
import { ServerForm, useOpenAccount } from './server-form.tsx'

/** Page that registers an account: by form, by a link for the owner of the mailbox, or as JSON. */
export function AddAccountPage() {
  return (
    <PageBody>
      <Panel title="With a password">
        <ServerForm />
      </Panel>
      <Panel title="By the owner of the mailbox">
        <OwnerLink />
      </Panel>
      <Panel title="As JSON">
        <JsonForm />
      </Panel>
    </PageBody>
  )
}

function OwnerLink() {
  const create = useAction(({ email = '' }: Readonly<Record<string, string>>) =>
    accountActions.createLink({
      ...(email !== '' && { email }),
      redirectUrl: `${location.origin}/admin/accounts`,
    }),
  )
  return (
    <>
      <p>The owner opens the link and enters the login, or signs in at the mail provider.</p>
      <Form
        submit="Create a link"
        isRunning={create.isRunning}
        error={create.error}
        onSubmit={(values) => create.run(values)}
      >
        <TextField label="Email address (optional)" name="email" type="email" />
      </Form>
      {create.result && <CopyBox text={create.result.url} />}
    </>
  )
}

function JsonForm() {
  const onDone = useOpenAccount()
  const add = useAction(
    async (text: string) =>
      accountActions.add(readJsonObject(text, 'The body') as object as AccountBody),
    { onDone, refresh: [accountsKey] },
  )
  return (
    <Form
      submit="Add the account"
      isRunning={add.isRunning}
      error={add.error}
      onSubmit={({ json = '' }) => add.run(json)}
    >
      <TextField
        label="Body of POST /v1/account"
        name="json"
        isMultiline
        isRequired
        defaultValue={jsonExample}
      />
    </Form>
  )
}

const jsonExample = JSON.stringify(
  { account: 'anna', name: 'Anna', email: 'anna@example.com' },
  null,
  2,
)
