import { checkApiMessageId } from '@posthorn/message-id'
import type { AccountRequest } from '../../account-driver.ts'
import type { ApiWork } from './api-command.ts'
import { listByUse } from './change-message.ts'

/**
 * Files a sent message: removes the draft of the message. Does nothing else, because the provider
 * stores the Sent copy itself and has no flags for replies and forwards.
 */
export function fileSent({ draft }: AccountRequest<'fileSent'>): ApiWork<'fileSent'> {
  const messageId = draft === undefined ? undefined : checkApiMessageId(draft)
  return async ({ api, requestPass, signal }) => {
    if (messageId === undefined) return { skipped: [] }
    for (const { id } of await api.findDrafts({ messageId }, signal))
      await api.discardDraft(id, signal)
    requestPass()
    return { skipped: [] }
  }
}

/** Maximum age of the messages among which a sent message is searched for. */
const maxAgeMs = 3 * 24 * 60 * 60_000

/** Finds a sent message in the folder where the provider stores sent messages. */
export function findSent({ messageId }: AccountRequest<'findSent'>): ApiWork<'findSent'> {
  return async (command) => {
    const [sent] = await listByUse(command, ['\\Sent'])
    if (!sent) return { found: false }
    const since = new Date(Date.now() - maxAgeMs)
    const query = { folderId: sent.id, search: { since, header: { 'Message-ID': messageId } } }
    const { entries } = await command.api.listIds(query, { limit: 1 }, command.signal)
    return { found: entries.length > 0 }
  }
}
