import { incompleteResponse, isMailApiError } from '../../mail-api/errors.ts'
import type { GmailMessage, GmailThread } from '../../provider-types/gmail.ts'
import type { BatchOutcome } from '../batch.ts'
import { matchesLocally } from './local-match.ts'
import { isGmailId, messagePath } from '../messages/message-path.ts'
import type { GmailRequests } from '../requests.ts'
import type { SearchInput, SearchPlan } from './search.ts'

const stateFields = 'id,threadId,labelIds,internalDate,sizeEstimate'
const maxThreadBytes = 16 * 1024 * 1024

interface Lookup {
  query: SearchInput
  plan: Exclude<SearchPlan, { kind: 'list' }>
}

/** Reads all messages of Gmail that a search selects by their ids or by their thread. */
export async function lookUp(
  requests: GmailRequests,
  { query, plan }: Lookup,
  signal: AbortSignal,
): Promise<Partial<GmailMessage>[]> {
  if (plan.kind === 'nothing') return []
  if (plan.kind === 'ids') {
    const { folderId } = query
    const messages = await readStates(requests, plan.ids, signal)
    return messages.filter(
      ({ labelIds = [] }) => folderId === undefined || labelIds.includes(folderId),
    )
  }
  const messages =
    plan.kind === 'message'
      ? await readStates(requests, [plan.id], signal)
      : await readThread(requests, plan.id, signal)
  return messages.filter((message) => matchesLocally(message, query))
}

async function readStates(
  requests: GmailRequests,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Partial<GmailMessage>[]> {
  const outcomes = await requests.batch<GmailMessage>({
    operation: 'messages.get',
    paths: ids.filter(isGmailId).map(messagePath),
    query: { format: 'minimal' },
    fields: stateFields,
    signal,
  })
  return outcomes.flatMap((outcome) => presentOf(outcome) ?? [])
}

/** Messages of a Gmail thread, newest first as in lists. */
async function readThread(
  requests: GmailRequests,
  id: string,
  signal: AbortSignal,
): Promise<Partial<GmailMessage>[]> {
  if (!isGmailId(id)) return []
  try {
    const { messages } = await requests.json<GmailThread>({
      operation: 'threads.get',
      path: `/threads/${id}`,
      query: { format: 'minimal' },
      fields: `messages(${stateFields})`,
      maxBytes: maxThreadBytes,
      signal,
    })
    if (messages) return messages.toReversed()
    throw incompleteResponse('The thread of Gmail has no messages')
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/**
 * Message of a Gmail batch response. Undefined if the message is missing, or its id is out of
 * range.
 *
 * @throws MailApiError of any other outcome
 */
export function presentOf<T>(outcome: BatchOutcome<T>): Partial<T> | undefined {
  if ('json' in outcome) return outcome.json
  if (isMissing(outcome.error)) return undefined
  throw outcome.error
}

function isMissing(error: unknown): boolean {
  return isMailApiError(error, 'message-missing') || isMailApiError(error, 'refused')
}
