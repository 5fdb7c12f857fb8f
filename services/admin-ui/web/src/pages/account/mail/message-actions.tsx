import { useState } from 'react'
import {
  mailboxesKey,
  mailKey,
  type MessageDetail,
  messageActions,
  useMailboxes,
} from '../../../data/mail.ts'
import { useAction } from '../../../data/use-load.ts'
import { Panel } from '../../../kit/content/panel.tsx'
import { Button, ButtonRow } from '../../../kit/controls/button.tsx'
import { ConfirmButton } from '../../../kit/overlays/confirm-button.tsx'
import { ErrorBox } from '../../../kit/states/error-box.tsx'
import { useNavigate, usePageQuery } from '../../../routing/navigation.tsx'
import type { MessageContentProps } from './message-content.tsx'
import { listQuery } from './message-query.ts'
import { MoveFields } from './move-fields.tsx'

/** Cache keys of the data that a moved or deleted message changes. */
const refresh = [[...mailKey, 'list'], mailboxesKey]

/** Buttons that change the flags of a message, move the message or delete it. */
export function MessageActions({ account, detail }: MessageContentProps) {
  return (
    <Panel title="Actions">
      <FlagButtons account={account} detail={detail} />
      <LeaveActions account={account} detail={detail} />
    </Panel>
  )
}

function FlagButtons({ account, detail: { id, flags } }: MessageContentProps) {
  const mark = useAction(messageActions.mark, { refresh: [mailKey] })
  const toggle = (flag: string, texts: { set: string; remove: string }) => {
    const isSet = flags.includes(flag)
    const update = { flags: { [isSet ? 'delete' : 'add']: [flag] } }
    return (
      <Button isPending={mark.isRunning} onPress={() => mark.run({ account, message: id, update })}>
        {isSet ? texts.remove : texts.set}
      </Button>
    )
  }
  return (
    <>
      <ButtonRow>
        {toggle('\\Seen', { set: 'Mark as read', remove: 'Mark as unread' })}
        {toggle('\\Flagged', { set: 'Flag', remove: 'Remove the flag' })}
      </ButtonRow>
      {mark.error && <ErrorBox error={mark.error} />}
    </>
  )
}

/** Actions after which the message is no longer at this address: the page returns to the list. */
function LeaveActions({ account, detail }: MessageContentProps) {
  const { id: message, path } = detail
  const [query] = usePageQuery()
  const navigate = useNavigate()
  const [target, setTarget] = useState('')
  const { data: mailboxes = [] } = useMailboxes(account)
  const onDone = () =>
    navigate({ to: '/accounts/$account/mail', params: { account }, query: listQuery(query) })
  const leave = useAction((call: () => Promise<unknown>) => call(), { refresh, onDone })
  const remove = (action: string, question: string, force: boolean) => (
    <ConfirmButton
      action={action}
      question={<p>{question}</p>}
      isPending={leave.isRunning}
      onConfirm={() => leave.run(() => messageActions.remove({ account, message, force }))}
    />
  )
  return (
    <>
      <MoveFields
        mailboxes={mailboxes}
        from={path}
        target={target}
        onTarget={setTarget}
        isPending={leave.isRunning}
        onMove={() =>
          leave.run(() =>
            messageActions.move({ account, message, path: target, ...sourceOf(detail) }),
          )
        }
      />
      <ButtonRow>
        {remove('Delete', 'The message moves to the trash. From the trash, it is deleted.', false)}
        {remove('Delete permanently', 'The message cannot be restored.', true)}
      </ButtonRow>
      {leave.error && <ErrorBox error={leave.error} />}
    </>
  )
}

/**
 * Mailbox from which a message is moved. Only accounts on a mail API, without UIDs, accept the
 * member `source` of the request.
 */
function sourceOf({ uid, path }: MessageDetail): { source?: string } {
  return uid === undefined && path !== undefined ? { source: path } : {}
}
