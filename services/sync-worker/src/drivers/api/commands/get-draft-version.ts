import { defined } from '@posthorn/contracts/defined'
import { checkApiMessageId } from '@posthorn/message-id'
import type { AccountRequest } from '../../account-driver.ts'
import type { ApiWork } from './api-command.ts'

/** Reads the change marker of a draft. Absent if the id shows changes, or without a draft. */
export function getDraftVersion({
  message,
}: AccountRequest<'getDraftVersion'>): ApiWork<'getDraftVersion'> {
  const messageId = checkApiMessageId(message)
  return async ({ api, signal }) => {
    // The id of a message with labels changes with each draft, and searching the new id costs
    // requests.
    if (api.traits.placement === 'labels') return {}
    const [draft] = await api.findDrafts({ messageId }, signal)
    return defined({ version: draft?.version })
  }
}
