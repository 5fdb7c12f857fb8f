import {
  type AccountRecord,
  accountActions,
  accountsKey,
  useAccount,
} from '../../../data/accounts.ts'
import { readJsonObject } from '../../../data/json-object.ts'
import { useRights } from '../../../data/session.ts'
import { useAction } from '../../../data/use-load.ts'
import { PageBody, Panel } from '../../../kit/content/panel.tsx'
import { TextField } from '../../../kit/controls/text-field.tsx'
import { Form } from '../../../kit/forms/form.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { AccountFrame } from '../account-frame.tsx'
import { SettingsForm } from './settings-form.tsx'

/** Page with the settings of an account: a form for the usual members, and JSON for all others. */
export function AccountSettingsPage() {
  return <AccountFrame>{(account) => <Settings account={account} />}</AccountFrame>
}

function Settings({ account }: { account: string }) {
  const may = useRights()
  const load = useAccount(account)
  return (
    <Loaded load={load} lines={12}>
      {(record) => (
        <PageBody>
          {may('changeAccounts') && (
            <>
              <SettingsForm record={record} />
              <Panel title="Other settings">
                <JsonForm account={account} />
              </Panel>
            </>
          )}
          <Panel title="All values">
            <Values record={record} />
          </Panel>
        </PageBody>
      )}
    </Loaded>
  )
}

function Values({ record }: { record: AccountRecord }) {
  return <pre>{JSON.stringify(record, null, 2)}</pre>
}

function JsonForm({ account }: { account: string }) {
  const update = useAction(
    async (text: string) =>
      accountActions.update({ account, body: readJsonObject(text, 'The body') }),
    { refresh: [accountsKey] },
  )
  return (
    <>
      <p>Members that are absent keep their values. The values null and false remove a member.</p>
      <Form
        submit="Change"
        isRunning={update.isRunning}
        error={update.error}
        onSubmit={({ json = '' }) => update.run(json)}
      >
        <TextField
          label="Body of PUT /v1/account/{account}"
          name="json"
          isMultiline
          isRequired
          defaultValue="{}"
        />
      </Form>
      <p role="status">{update.isDone && 'The account is changed.'}</p>
    </>
  )
}
