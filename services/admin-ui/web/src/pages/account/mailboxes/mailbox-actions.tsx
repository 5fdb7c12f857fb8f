import { useState } from 'react'
import { type MailboxEntry, mailboxesKey } from '../../../data/mail.ts'
import { mailboxActions } from '../../../data/mailboxes.ts'
import { useRights } from '../../../data/session.ts'
import { useAction } from '../../../data/use-load.ts'
import { Button, ButtonRow } from '../../../kit/controls/button.tsx'
import { TextField } from '../../../kit/controls/text-field.tsx'
import { Form } from '../../../kit/forms/form.tsx'
import { ConfirmButton } from '../../../kit/overlays/confirm-button.tsx'
import { Dialog } from '../../../kit/overlays/dialog.tsx'
import { ErrorBox } from '../../../kit/states/error-box.tsx'
import { usePathParameter } from '../../../routing/navigation.tsx'

const refresh = [mailboxesKey]

/** Buttons that rename a mailbox, change its subscription or delete it with its messages. */
export function MailboxActions({ mailbox }: { mailbox: MailboxEntry }) {
  const may = useRights()
  const account = usePathParameter('account')
  const { path, subscribed, specialUse } = mailbox
  const subscribe = useAction(mailboxActions.update, { refresh })
  const remove = useAction(mailboxActions.remove, { refresh })
  if (!may('changeMailboxes')) return '–'
  // Mail servers refuse to rename and to delete the Inbox.
  const isInbox = specialUse === '\\Inbox' || path === 'INBOX'
  return (
    <ButtonRow>
      <Button
        isPending={subscribe.isRunning}
        onPress={() => subscribe.run({ account, path, subscribed: !subscribed })}
      >
        {subscribed ? 'Unsubscribe' : 'Subscribe'}
      </Button>
      {!isInbox && (
        <>
          <RenameButton account={account} path={path} />
          <ConfirmButton
            action="Delete"
            question={<p>The mailbox is deleted with all of its messages.</p>}
            typed={path}
            isPending={remove.isRunning}
            onConfirm={() => remove.run({ account, path })}
          />
        </>
      )}
      {subscribe.error && <ErrorBox error={subscribe.error} />}
      {remove.error && <ErrorBox error={remove.error} />}
    </ButtonRow>
  )
}

function RenameButton({ account, path }: { account: string; path: string }) {
  const [isOpen, setOpen] = useState(false)
  const rename = useAction(mailboxActions.update, { refresh, onDone: () => setOpen(false) })
  return (
    <>
      <Button onPress={() => setOpen(true)}>Rename</Button>
      <Dialog title="Rename the mailbox" isOpen={isOpen} onClose={() => setOpen(false)}>
        <Form
          submit="Rename"
          isRunning={rename.isRunning}
          error={rename.error}
          onSubmit={({ newPath = '' }) => rename.run({ account, path, newPath })}
        >
          <TextField label="New path" name="newPath" defaultValue={path} isRequired autoFocus />
        </Form>
      </Dialog>
    </>
  )
}
