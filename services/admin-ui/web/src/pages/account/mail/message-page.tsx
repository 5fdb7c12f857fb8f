import {
  type Attachment,
  downloadAttachment,
  downloadSource,
  type MessageDetail,
  useMessage,
} from '../../../data/mail.ts'
import { useRights } from '../../../data/session.ts'
import { useAction } from '../../../data/use-load.ts'
import { Facts, Panel } from '../../../kit/content/panel.tsx'
import { sizeText } from '../../../kit/content/size-text.ts'
import { Time } from '../../../kit/content/time.tsx'
import { Button } from '../../../kit/controls/button.tsx'
import { ErrorBox } from '../../../kit/states/error-box.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { type Column, DataTable } from '../../../kit/table/data-table.tsx'
import { AppLink, usePageQuery, usePathParameter } from '../../../routing/navigation.tsx'
import { AccountFrame } from '../account-frame.tsx'
import { MailGate } from '../mail-gate.tsx'
import { MessageActions } from './message-actions.tsx'
import { MessageContent } from './message-content.tsx'
import { addressText, listQuery, subjectText } from './message-query.ts'

/** Page of one message: head, text or HTML, attachments, and actions. */
export function MessagePage() {
  const message = usePathParameter('message')
  return (
    <AccountFrame>
      {(account) => (
        <MailGate>
          <Message key={message} account={account} message={message} />
        </MailGate>
      )}
    </AccountFrame>
  )
}

function Message({ account, message }: { account: string; message: string }) {
  const may = useRights()
  const [query] = usePageQuery()
  const load = useMessage(account, message)
  return (
    <>
      <div>
        <AppLink to="/accounts/$account/mail" params={{ account }} query={listQuery(query)}>
          Back to the list
        </AppLink>
      </div>
      <Loaded load={load} lines={12}>
        {(detail) => (
          <>
            <Head detail={detail} />
            {may('changeMessages') && <MessageActions account={account} detail={detail} />}
            <MessageContent account={account} detail={detail} />
            {detail.attachments !== undefined && detail.attachments.length > 0 && (
              <Attachments attachments={detail.attachments} />
            )}
          </>
        )}
      </Loaded>
    </>
  )
}

function Head({ detail }: { detail: MessageDetail }) {
  const { from, sender, to = [], cc = [], bcc = [], replyTo = [], date, size, flags } = detail
  const list = (addresses: typeof to) => addresses.map(addressText).join(', ')
  return (
    <Panel title={subjectText(detail)} tools={<SourceButton message={detail.id} />}>
      <Facts
        rows={[
          ['From', addressText(from)],
          ['Sender', addressText(sender)],
          ['To', list(to)],
          ['Cc', list(cc)],
          ['Bcc', list(bcc)],
          ['Replies to', list(replyTo)],
          ['Date', date && <Time value={date} />],
          ['Size', sizeText(size)],
          ['Flags', flags.join(', ')],
          ['Message-ID', detail.messageId],
        ]}
      />
    </Panel>
  )
}

function SourceButton({ message }: { message: string }) {
  const account = usePathParameter('account')
  const download = useAction(downloadSource)
  return (
    <>
      <Button onPress={() => download.run({ account, message })} isPending={download.isRunning}>
        Download the source
      </Button>
      {download.error && <ErrorBox error={download.error} />}
    </>
  )
}

function Attachments({ attachments }: { attachments: readonly Attachment[] }) {
  return (
    <Panel title="Attachments">
      <DataTable
        label="Attachments"
        rows={attachments}
        columns={columns}
        keyOf={({ id }: Attachment) => id}
      />
    </Panel>
  )
}

const columns: readonly Column<Attachment>[] = [
  { title: 'Name', isWide: true, cell: ({ filename }) => filename ?? '(no name)' },
  { title: 'Type', cell: ({ contentType }) => contentType },
  { title: 'Size', cell: ({ encodedSize }) => sizeText(encodedSize) },
  { title: 'Actions', cell: (attachment) => <DownloadButton attachment={attachment} /> },
]

function DownloadButton({ attachment }: { attachment: Attachment }) {
  const account = usePathParameter('account')
  const download = useAction(downloadAttachment)
  return (
    <>
      <Button onPress={() => download.run({ account, attachment })} isPending={download.isRunning}>
        Download
      </Button>
      {download.error && <ErrorBox error={download.error} />}
    </>
  )
}
