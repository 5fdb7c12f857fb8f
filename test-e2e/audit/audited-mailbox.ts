import type { GmailMailbox } from '@posthorn/testkit/providers/gmail'
import type { FakeMailbox } from '@posthorn/testkit/graph-fake'

/** State of a message in an audited mailbox. Folder and labels are given by id. */
export interface AuditedMessage {
  id: string
  /** Id of the message's folder. Empty if messages have labels instead of a folder. */
  folder: string
  flags: string[]
  labels: string[]
}

/** Mailbox of a provider fake with the paths and names that events use. */
export interface AuditedMailbox {
  /** Messages that are in the mailbox now, by id. */
  messages(): Map<string, AuditedMessage>
  /**
   * Paths of the mailbox's folders or labels by id, without the labels that are flags or
   * categories.
   */
  folders(): Map<string, string>
  /** Names by which events call labels of the mailbox, as of the last call of `folders`. */
  labelNames(ids: readonly string[]): string[]
  /**
   * Path of the folder that contains all messages of the mailbox. Undefined if there is no such
   * folder.
   */
  allPath: string | undefined
  /** Ids of the messages of a folder or label, newest first. */
  listed(path: string): string[]
  /**
   * Expires all cursors of the mailbox at the provider fake, so that the next sync compares all
   * messages.
   */
  expire(): void
}

const gmailUses: Readonly<Record<string, string>> = {
  INBOX: '\\Inbox',
  SENT: '\\Sent',
  DRAFT: '\\Drafts',
  SPAM: '\\Junk',
  TRASH: '\\Trash',
}
const isFlag = (id: string) => id === 'UNREAD' || id === 'STARRED'
const isCategory = (id: string) => id.startsWith('CATEGORY_')

export function auditedGmail(mailbox: GmailMailbox): AuditedMailbox {
  /** Names of Gmail labels by id, including labels that were deleted. */
  const names = new Map<string, string>()
  const folders = () => {
    const shown = [...mailbox.labels.values()].filter(({ id }) => !isFlag(id) && !isCategory(id))
    for (const { id, name } of shown) names.set(id, name)
    return new Map(shown.map(({ id, name }) => [id, name]))
  }
  const idOf = (path: string) => [...folders()].find(([, name]) => name === path)?.[0] ?? ''
  return {
    allPath: '\\All',
    folders,
    messages: () =>
      new Map(
        mailbox.list.map(({ id, labels }) => [
          id,
          {
            id,
            folder: '',
            flags: flagsOf({
              draft: labels.has('DRAFT'),
              flagged: labels.has('STARRED'),
              seen: !labels.has('UNREAD'),
            }),
            labels: [...labels].filter((label) => !isFlag(label)),
          },
        ]),
      ),
    labelNames: (ids) => {
      const shown = ids.filter((id) => !isCategory(id))
      return shown.map((id) => gmailUses[id] ?? names.get(id) ?? id).sort()
    },
    listed: (path) =>
      mailbox.list.filter(({ labels }) => labels.has(idOf(path))).map(({ id }) => id),
    expire: () => mailbox.expireHistory(),
  }
}

export function auditedGraph(mailbox: FakeMailbox, expire: () => void): AuditedMailbox {
  const pathOf = (id: string): string => {
    const { name = '', parentId } = mailbox.folders.get(id) ?? {}
    return parentId === undefined ? name : `${pathOf(parentId)}/${name}`
  }
  const folders = () => new Map([...mailbox.folders.keys()].map((id) => [id, pathOf(id)]))
  return {
    allPath: undefined,
    folders,
    messages: () =>
      new Map(
        [...mailbox.messages.values()].map(
          ({ id, folderId, isDraft, flagStatus, isRead, categories }) => [
            id,
            {
              id,
              folder: folderId,
              flags: flagsOf({
                draft: isDraft,
                flagged: flagStatus === 'flagged',
                seen: isRead,
              }),
              labels: [...categories],
            },
          ],
        ),
      ),
    labelNames: (names) => [...names].sort(),
    listed: (path) => {
      const id = [...folders()].find(([, each]) => each === path)?.[0]
      return mailbox.list(id ?? '').map((message) => message.id)
    },
    expire,
  }
}

function flagsOf({ draft, flagged, seen }: { draft: boolean; flagged: boolean; seen: boolean }) {
  return [
    ...(draft ? ['\\Draft'] : []),
    ...(flagged ? ['\\Flagged'] : []),
    ...(seen ? ['\\Seen'] : []),
  ]
}
