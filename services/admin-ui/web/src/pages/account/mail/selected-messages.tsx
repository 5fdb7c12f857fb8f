import { useState } from 'react'
import {
  type MailboxEntry,
  mailboxesKey,
  mailKey,
  type MessageEntry,
  messageActions,
} from '../../../data/mail.ts'
import { useAction } from '../../../data/use-load.ts'
import { Panel } from '../../../kit/content/panel.tsx'
import { Button, ButtonRow } from '../../../kit/controls/button.tsx'
import { ConfirmButton } from '../../../kit/overlays/confirm-button.tsx'
import { ErrorBox } from '../../../kit/states/error-box.tsx'
import { selectionOf } from './message-query.ts'
import { MoveFields } from './move-fields.tsx'

export interface SelectedMessagesProps {
  account: string
  path: string
  mailboxes: readonly MailboxEntry[]
  messages: readonly MessageEntry[]
  /** Called when an action on the selected messages has succeeded. */
  onDone: () => void
}

/** Buttons for actions on the selected messages of a mailbox, each by one call. */
export function SelectedMessages(props: SelectedMessagesProps) {
  const { account, path, mailboxes, messages, onDone } = props
  const [target, setTarget] = useState('')
  const run = useAction((call: () => Promise<unknown>) => call(), {
    refresh: [mailKey, mailboxesKey],
    onDone,
  })
  const selection = { account, path, search: selectionOf(messages) }
  const count = `${messages.length} ${messages.length === 1 ? 'message' : 'messages'}`
  const mark = (text: string, change: 'add' | 'delete', flag: string) => (
    <Button
      isPending={run.isRunning}
      onPress={() =>
        run.run(() =>
          messageActions.markAll({ ...selection, update: { flags: { [change]: [flag] } } }),
        )
      }
    >
      {text}
    </Button>
  )
  return (
    <Panel title={`${count} selected`}>
      <ButtonRow>
        {mark('Mark as read', 'add', '\\Seen')}
        {mark('Mark as unread', 'delete', '\\Seen')}
        {mark('Flag', 'add', '\\Flagged')}
        {mark('Remove the flag', 'delete', '\\Flagged')}
        <ConfirmButton
          action={`Delete ${count}`}
          question={<p>The messages move to the trash. From the trash, they are deleted.</p>}
          isPending={run.isRunning}
          onConfirm={() => run.run(() => messageActions.removeAll(selection))}
        />
      </ButtonRow>
      <MoveFields
        mailboxes={mailboxes}
        from={path}
        target={target}
        onTarget={setTarget}
        isPending={run.isRunning}
        onMove={() => run.run(() => messageActions.moveAll({ ...selection, to: target }))}
      />
      {run.error && <ErrorBox error={run.error} />}
    </Panel>
  )
}
