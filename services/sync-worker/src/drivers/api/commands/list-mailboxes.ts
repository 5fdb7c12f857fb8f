import type { ApiFolder } from '@posthorn/backends/mail-api'
import { defined } from '@posthorn/contracts/defined'
import type { MailboxEntry } from '@posthorn/contracts/schemas/message'
import { AppError } from '@posthorn/errors'
import type { AccountRequest } from '../../account-driver.ts'
import { pathOf } from '../events/folder-names.ts'
import type { ApiCommand, ApiWork } from './api-command.ts'
import { allMessages } from './folders.ts'

/**
 * Lists the folders or labels of the provider. If labels replace folders (placement `labels`), the
 * list contains the virtual mailbox that events name, but not the tabs of the inbox.
 */
export function listMailboxes({
  counters,
}: AccountRequest<'listMailboxes'>): ApiWork<'listMailboxes'> {
  return async (command) => {
    // The cached folders are dropped, because clients list mailboxes to see recent changes.
    command.folders.delete(command.session)
    const { folders } = await command.folders.get(command)
    const mailboxes: MailboxEntry[] =
      command.api.traits.placement === 'labels' ? [allMessagesEntry()] : []
    for (const folder of folders) {
      if (folder.category) continue
      const status = counters ? await readCounters(command, folder) : undefined
      mailboxes.push(defined({ ...toEntry(folder), status }))
    }
    return { mailboxes }
  }
}

async function readCounters(
  { api, signal }: ApiCommand,
  { id }: ApiFolder,
): Promise<NonNullable<MailboxEntry['status']>> {
  try {
    return await api.folderCounts(id, signal)
  } catch (error) {
    const isRefused = error instanceof AppError && ['not-found', 'rejected'].includes(error.kind)
    if (isRefused) return { error: error.message }
    throw error
  }
}

function toEntry(folder: ApiFolder): MailboxEntry {
  const { id, path, specialUse, hidden } = folder
  const isShown = hidden !== true
  return defined({
    id,
    path: pathOf(folder),
    delimiter: '/',
    parentPath: path.length > 1 ? pathOf({ path: path.slice(0, -1) }) : undefined,
    name: path.at(-1) ?? '',
    listed: isShown,
    subscribed: isShown,
    specialUse,
    specialUseSource: specialUse && ('extension' as const),
    ...unknownCounters,
  })
}

function allMessagesEntry(): MailboxEntry {
  return {
    path: allMessages,
    delimiter: '/',
    name: allMessages,
    listed: true,
    subscribed: true,
    specialUse: '\\All',
    specialUseSource: 'extension',
    ...unknownCounters,
  }
}

/**
 * Unknown counters of a mailbox, because only IMAP accounts have counters of the last sync. Clients
 * get current counters with the option `counters`.
 */
const unknownCounters = { messages: false as const, uidNext: false as const }
