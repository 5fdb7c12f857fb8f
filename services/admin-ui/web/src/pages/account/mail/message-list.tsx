import { useState } from 'react'
import { useAccount } from '../../../data/accounts.ts'
import { type MailboxEntry, type MessageEntry, useMessages } from '../../../data/mail.ts'
import { useRights } from '../../../data/session.ts'
import { Badge } from '../../../kit/content/badge.tsx'
import { sizeText } from '../../../kit/content/size-text.ts'
import { Time } from '../../../kit/content/time.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { CursorPager } from '../../../kit/table/cursor-pager.tsx'
import { type Column, DataTable } from '../../../kit/table/data-table.tsx'
import { Pager } from '../../../kit/table/pager.tsx'
import { AppLink, usePageQuery, usePathParameter } from '../../../routing/navigation.tsx'
import { pageOf } from '../../../routing/query-text.ts'
import css from './mail.module.css'
import { addressText, listQuery, searchOf, subjectText } from './message-query.ts'
import { MessageFilters } from './message-filters.tsx'
import { SelectedMessages } from './selected-messages.tsx'

const pageSize = 50

export interface MessageListProps {
  account: string
  path: string
  mailboxes: readonly MailboxEntry[]
}

/** List of the messages of a mailbox, with search, pages and actions on selected messages. */
export function MessageList({ account, path, mailboxes }: MessageListProps) {
  const may = useRights()
  const [query] = usePageQuery()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const { cursor } = query
  const input = { account, path, page: pageOf(query), pageSize, ...(cursor && { cursor }) }
  const load = useMessages(input, searchOf(query))
  const selection = { keys: selected, onChange: setSelected }
  const chosen = load.data?.messages.filter(({ id }) => selected.has(id)) ?? []
  return (
    <div className={css['list']}>
      <MessageFilters />
      {chosen.length > 0 && (
        <SelectedMessages
          account={account}
          path={path}
          mailboxes={mailboxes}
          messages={chosen}
          onDone={() => setSelected(new Set())}
        />
      )}
      <Loaded
        load={load}
        lines={10}
        isEmpty={({ messages }) => messages.length === 0}
        empty={<p>No message is in this mailbox, or matches the search.</p>}
      >
        {(page) => (
          <>
            <DataTable
              label="Messages"
              rows={page.messages}
              columns={columns}
              keyOf={({ id }: MessageEntry) => id}
              {...(may('changeMessages') && { selection })}
            />
            <Pages account={account} {...page} />
          </>
        )}
      </Loaded>
    </div>
  )
}

interface PagesProps {
  account: string
  total: number
  pages: number
  nextPageCursor: string | null
}

/** Links to other pages of the list: by number for IMAP accounts, by cursor for mail APIs. */
function Pages({ account, total, pages, nextPageCursor }: PagesProps) {
  const { data: record } = useAccount(account)
  if (record?.baseScopes === 'api') return <CursorPager next={nextPageCursor} />
  return <Pager pages={pages} total={total} noun="message" />
}

const columns: readonly Column<MessageEntry>[] = [
  { title: 'Subject', isWide: true, cell: (message) => <Subject message={message} /> },
  { title: 'From', isWide: true, cell: ({ from }) => addressText(from) || '–' },
  { title: 'Date', cell: ({ date }) => (date === undefined ? '–' : <Time value={date} />) },
  { title: 'Size', cell: ({ size }) => sizeText(size) },
  { title: 'Marks', cell: (message) => <Marks message={message} /> },
]

function Subject({ message }: { message: MessageEntry }) {
  const [query] = usePageQuery()
  const account = usePathParameter('account')
  return (
    <AppLink
      to="/accounts/$account/mail/$message"
      params={{ account, message: message.id }}
      query={listQuery(query)}
      {...(message.unseen === true && { className: css['unread'] ?? '' })}
    >
      {subjectText(message)}
    </AppLink>
  )
}

function Marks({
  message: { unseen, flagged, answered, draft, attachments },
}: {
  message: MessageEntry
}) {
  const marks = [
    unseen === true && 'unread',
    flagged === true && 'flagged',
    answered === true && 'answered',
    draft === true && 'draft',
    attachments !== undefined && attachments.length > 0 && 'attachments',
  ].filter((mark) => mark !== false)
  if (marks.length === 0) return '–'
  return marks.map((mark) => (
    <span key={mark}>
      <Badge tone={mark === 'unread' || mark === 'flagged' ? 'warn' : 'neutral'}>{mark}</Badge>{' '}
    </span>
  ))
}
