import { type AccountRecord, useAccount } from '../../data/accounts.ts'
import { Facts, PageBody, Panel } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { buttonClass, ButtonRow } from '../../kit/controls/button.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { AppLink, usePathParameter } from '../../routing/navigation.tsx'
import { AccountActions } from './account-actions.tsx'
import { explainAccount } from './explain-account.ts'
import { StateBadge } from './state-badge.tsx'

/** Page of one account: state with advice, actions, and settings. */
export function AccountPage() {
  const account = usePathParameter('account')
  // The key separates accounts: data and results of one account never show on the page of another.
  return <AccountDetails key={account} account={account} />
}

function AccountDetails({ account }: { account: string }) {
  const load = useAccount(account)
  return (
    <PageBody>
      <Loaded load={load} lines={8}>
        {(record) => (
          <>
            <State record={record} />
            <AccountActions record={record} />
            <Panel title="Settings">
              <Settings record={record} />
            </Panel>
            <Panel title="More">
              <Lists account={account} />
            </Panel>
          </>
        )}
      </Loaded>
    </PageBody>
  )
}

function State({ record }: { record: AccountRecord }) {
  const { meaning, action, details } = explainAccount(record)
  const { syncTime, email, type } = record
  return (
    <Panel title="State" tools={<StateBadge state={record.stateDetail} />}>
      {meaning !== undefined && (
        <>
          <p>
            <strong>{meaning}</strong>
          </p>
          <p>{action}</p>
        </>
      )}
      <Facts
        rows={[
          ['Email', email],
          ['Type', type],
          ['Last sync', syncTime && <Time value={syncTime} />],
          ...details,
        ]}
      />
    </Panel>
  )
}

function Settings({ record }: { record: AccountRecord }) {
  return <pre>{JSON.stringify(record, null, 2)}</pre>
}

function Lists({ account }: { account: string }) {
  return (
    <ButtonRow>
      <AppLink className={buttonClass()} to="/outbox" query={{ account }}>
        Outbox of this account
      </AppLink>
      <AppLink className={buttonClass()} to="/events" query={{ account }}>
        Events of this account
      </AppLink>
      <AppLink className={buttonClass()} to="/deliveries" query={{ account }}>
        Webhook deliveries of this account
      </AppLink>
    </ButtonRow>
  )
}
