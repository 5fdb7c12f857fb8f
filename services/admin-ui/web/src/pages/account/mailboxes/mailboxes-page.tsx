import { type MailboxEntry, mailboxesKey, useMailboxes } from '../../../data/mail.ts'
import { mailboxActions } from '../../../data/mailboxes.ts'
import { useRights } from '../../../data/session.ts'
import { useAction } from '../../../data/use-load.ts'
import { PageBody, Panel } from '../../../kit/content/panel.tsx'
import { TextField } from '../../../kit/controls/text-field.tsx'
import { Form } from '../../../kit/forms/form.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { type Column, DataTable } from '../../../kit/table/data-table.tsx'
import { AppLink, usePathParameter } from '../../../routing/navigation.tsx'
import { AccountFrame } from '../account-frame.tsx'
import { mailboxTree } from '../mail/mailbox-tree.ts'
import { MailboxActions } from './mailbox-actions.tsx'

/** Page with the mailboxes of an account: create, rename, subscribe and delete. */
export function MailboxesPage() {
  return <AccountFrame>{(account) => <Mailboxes account={account} />}</AccountFrame>
}

function Mailboxes({ account }: { account: string }) {
  const may = useRights()
  const load = useMailboxes(account)
  return (
    <PageBody>
      {may('changeMailboxes') && (
        <Panel title="Create a mailbox">
          <NewMailbox account={account} />
        </Panel>
      )}
      <Loaded
        load={load}
        lines={10}
        isEmpty={(mailboxes) => mailboxes.length === 0}
        empty={<p>The account has no mailboxes yet. Mailboxes appear here after its first sync.</p>}
      >
        {(mailboxes) => (
          <DataTable
            label="Mailboxes"
            rows={mailboxTree(mailboxes).map(({ mailbox }) => mailbox)}
            columns={columns}
            keyOf={({ path }: MailboxEntry) => path}
          />
        )}
      </Loaded>
    </PageBody>
  )
}

function NewMailbox({ account }: { account: string }) {
  const create = useAction(mailboxActions.create, { refresh: [mailboxesKey] })
  return (
    <>
      <Form
        submit="Create"
        isRunning={create.isRunning}
        error={create.error}
        onSubmit={({ path = '' }) => create.run({ account, path })}
      >
        <TextField
          label="Path"
          name="path"
          isRequired
          hint="Full path of the mailbox, with its levels: Clients/2026."
        />
      </Form>
      <p role="status">{create.result && `The mailbox ${create.result.path} exists now.`}</p>
    </>
  )
}

const columns: readonly Column<MailboxEntry>[] = [
  { title: 'Path', isWide: true, cell: (mailbox) => <MailboxLink mailbox={mailbox} /> },
  { title: 'Special use', cell: ({ specialUse }) => specialUse ?? '–' },
  { title: 'Messages', cell: ({ messages }) => (messages === false ? '–' : String(messages)) },
  { title: 'Subscribed', cell: ({ subscribed }) => (subscribed ? 'yes' : 'no') },
  { title: 'Actions', cell: (mailbox) => <MailboxActions mailbox={mailbox} /> },
]

function MailboxLink({ mailbox: { path, noSelect } }: { mailbox: MailboxEntry }) {
  const account = usePathParameter('account')
  if (noSelect === true) return path
  return (
    <AppLink to="/accounts/$account/mail" params={{ account }} query={{ path }}>
      {path}
    </AppLink>
  )
}
