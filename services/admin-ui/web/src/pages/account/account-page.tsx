import { type AccountRecord, useAccount } from '../../data/accounts.ts'
import type { PageAction } from '../../data/rights.ts'
import { useRights } from '../../data/session.ts'
import { Facts, LinkList, PageBody, Panel } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { AppLink } from '../../routing/navigation.tsx'
import { AccountFrame } from './account-frame.tsx'
import { AccountActions } from './account-actions.tsx'
import { explainAccount } from './explain-account.ts'
import { StateBadge } from '../accounts/state-badge.tsx'

/** Page of one account: state with advice, actions, and links to its lists. */
export function AccountPage() {
  return <AccountFrame>{(account) => <AccountDetails account={account} />}</AccountFrame>
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
            <Panel title="Lists">
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

/**
 * Links from an account's page to lists that are filtered for the account, with the action that a
 * list needs.
 */
const lists: readonly ListLink[] = [
  { to: '/outbox', text: 'Outbox of this account' },
  { to: '/outbox', text: 'Failed messages of this account', query: { state: 'failed' } },
  { to: '/events', text: 'Events of this account' },
  { to: '/deliveries', text: 'Webhook deliveries of this account' },
  { to: '/deliveries', text: 'Failed deliveries of this account', query: { state: 'failed' } },
  { to: '/exports', text: 'Exports of this account', requires: 'readExports' },
  { to: '/tokens', text: 'Tokens of this account', requires: 'readSettings' },
  { to: '/audit', text: 'Audit log of this account', requires: 'readAudit' },
]

interface ListLink {
  to: string
  text: string
  query?: Readonly<Record<string, string>>
  requires?: PageAction
}

function Lists({ account }: { account: string }) {
  const may = useRights()
  return (
    <LinkList>
      {lists
        .filter(({ requires }) => requires === undefined || may(requires))
        .map(({ to, text, query }) => (
          <li key={text}>
            <AppLink to={to} query={{ account, ...query }}>
              {text}
            </AppLink>
          </li>
        ))}
    </LinkList>
  )
}
