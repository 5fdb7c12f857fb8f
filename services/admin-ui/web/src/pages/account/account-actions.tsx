import { accountActions, accountsKey, type AccountRecord } from '../../data/accounts.ts'
import { useRights } from '../../data/session.ts'
import { useAction } from '../../data/use-load.ts'
import { Button, ButtonRow } from '../../kit/controls/button.tsx'
import { CopyBox } from '../../kit/content/copy-box.tsx'
import { Panel } from '../../kit/content/panel.tsx'
import { ConfirmButton } from '../../kit/overlays/confirm-button.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { useNavigate } from '../../routing/navigation.tsx'

/** Buttons for the actions on one account that the signed-in person may do. */
export function AccountActions({ record }: { record: AccountRecord }) {
  const may = useRights()
  if (!may('operateAccounts')) return null
  return (
    <Panel title="Actions">
      <Operation account={record.account} />
      {may('changeAccounts') && <Changes record={record} />}
    </Panel>
  )
}

function Operation({ account }: { account: string }) {
  const run = useAction(
    async ({ call, text }: { call: (account: string) => Promise<unknown>; text: string }) => {
      await call(account)
      return text
    },
    { refresh: [accountsKey] },
  )
  return (
    <>
      <ButtonRow>
        <Button
          isPending={run.isRunning}
          onPress={() =>
            run.run({ call: accountActions.reconnect, text: 'The account reconnects.' })
          }
        >
          Reconnect
        </Button>
        <Button
          isPending={run.isRunning}
          onPress={() =>
            run.run({ call: accountActions.sync, text: 'The mailboxes are being compared.' })
          }
        >
          Sync
        </Button>
      </ButtonRow>
      <p role="status">{run.result ?? ''}</p>
      {run.error && <ErrorBox error={run.error} />}
    </>
  )
}

function Changes({ record }: { record: AccountRecord }) {
  const { account, email } = record
  const navigate = useNavigate()
  const remove = useAction(accountActions.remove, {
    refresh: [accountsKey],
    onDone: () => navigate({ to: '/accounts', replace: true }),
  })
  const flush = useAction(accountActions.flush, { refresh: [accountsKey] })
  const link = useAction(() =>
    accountActions.createLink({
      account,
      ...(email !== undefined && { email }),
      redirectUrl: `${location.origin}/admin/accounts/${encodeURIComponent(account)}`,
    }),
  )
  return (
    <>
      <ButtonRow>
        <Button onPress={() => link.run(undefined)} isPending={link.isRunning}>
          Create a sign-in link
        </Button>
        <ConfirmButton
          action="Flush the account"
          question={<p>The mailbox index is deleted and built again. Mail stays unchanged.</p>}
          onConfirm={() => flush.run(account)}
          isPending={flush.isRunning}
        />
        <ConfirmButton
          action="Delete the account"
          question={<p>Queued messages and tokens are deleted too. Mail is not deleted.</p>}
          typed={account}
          onConfirm={() => remove.run(account)}
          isPending={remove.isRunning}
        />
      </ButtonRow>
      {link.result && <CopyBox text={link.result.url} />}
      {[link, flush, remove].map(
        ({ error }, index) => error && <ErrorBox key={index} error={error} />,
      )}
    </>
  )
}
