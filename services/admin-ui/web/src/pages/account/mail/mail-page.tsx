import { type MailboxEntry, useMailboxes } from '../../../data/mail.ts'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { AppLink, usePageQuery } from '../../../routing/navigation.tsx'
import { AccountFrame } from '../account-frame.tsx'
import { MailGate } from '../mail-gate.tsx'
import css from './mail.module.css'
import { firstPath, mailboxTree } from './mailbox-tree.ts'
import { MessageList } from './message-list.tsx'

/** Page with the messages of one mailbox of an account, and the tree of its mailboxes. */
export function MailPage() {
  return (
    <AccountFrame>
      {(account) => (
        <MailGate>
          <Mailboxes account={account} />
        </MailGate>
      )}
    </AccountFrame>
  )
}

function Mailboxes({ account }: { account: string }) {
  const [query] = usePageQuery()
  const load = useMailboxes(account)
  return (
    <Loaded
      load={load}
      lines={10}
      isEmpty={(mailboxes) => mailboxes.length === 0}
      empty={<p>The account has no mailboxes yet. Mailboxes appear here after its first sync.</p>}
    >
      {(mailboxes) => {
        const path = query['path'] || firstPath(mailboxes)
        return (
          <div className={css['columns']}>
            <MailboxTree account={account} mailboxes={mailboxes} current={path} />
            {path === undefined ? (
              <p>No mailbox of the account can have messages.</p>
            ) : (
              <MessageList key={path} account={account} path={path} mailboxes={mailboxes} />
            )}
          </div>
        )
      }}
    </Loaded>
  )
}

interface MailboxTreeProps {
  account: string
  mailboxes: readonly MailboxEntry[]
  current: string | undefined
}

function MailboxTree({ account, mailboxes, current }: MailboxTreeProps) {
  return (
    <nav aria-label="Mailboxes" className={css['tree']}>
      <ul>
        {mailboxTree(mailboxes).map(({ mailbox, depth }) => (
          <li key={mailbox.path} style={{ paddingInlineStart: `${depth}rem` }}>
            <MailboxLink account={account} mailbox={mailbox} isCurrent={mailbox.path === current} />
          </li>
        ))}
      </ul>
    </nav>
  )
}

interface MailboxLinkProps {
  account: string
  mailbox: MailboxEntry
  isCurrent: boolean
}

function MailboxLink({ account, mailbox, isCurrent }: MailboxLinkProps) {
  const { path, name, noSelect, messages } = mailbox
  if (noSelect === true) return <span className={css['mailbox']}>{name}</span>
  return (
    <AppLink
      to="/accounts/$account/mail"
      params={{ account }}
      query={{ path }}
      className={css['mailbox'] ?? ''}
      isCurrent={isCurrent}
    >
      <span>{name || path}</span>
      {messages !== false && <span className={css['count']}>{messages.toLocaleString('en')}</span>}
    </AppLink>
  )
}
