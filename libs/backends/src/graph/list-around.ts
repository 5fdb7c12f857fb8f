import { incompleteResponse, isMailApiError, type MailApiError } from '../mail-api/errors.ts'
import type { GraphMessage } from '../provider-types/graph.ts'
import type { GraphClient } from './graph-client.ts'
import { assertEntries, entriesOf } from './list-entries.ts'
import { isId } from './message-fields.ts'

/**
 * Page sizes that are tried in turn after a page of Graph messages failed, to find the damaged
 * message.
 */
export const smallerPages = [50, 10, 1]
/**
 * Maximum number of successive damaged Graph messages that are skipped. With more, the folder
 * itself counts as damaged.
 */
const maxInRow = 5

/** Page of a list of messages, as Microsoft Graph sends it. */
export interface ListResponse {
  value?: GraphMessage[]
  '@odata.count'?: unknown
  '@odata.nextLink'?: unknown
}

/** List of Graph messages that is read by position, and the position `skip` of the page to read. */
export interface PositionedList {
  path: string
  /** Query parameters of the list of Graph messages, without `$top` and `$skip`. */
  query: Record<string, string | undefined>
  skip: number
  limit: number
}

export interface PageAround {
  page: ListResponse
  /** Position of the page in the list of Graph messages. */
  skip: number
  /** Number of damaged Graph messages that were skipped before the first message of this page. */
  unreadable: number
}

/**
 * True for the failure of a page with a damaged message: status 500, or an entry with missing
 * members or members of a wrong type. Other failures of Microsoft Graph, and failures with a retry
 * time, count as outages.
 */
export function isPageFailure(error: unknown): error is MailApiError {
  if (!isMailApiError(error, 'unavailable')) return false
  return error.incomplete || (error.status === 500 && error.retryAfterMs === undefined)
}

/**
 * Reads a page of a message list of Microsoft Graph. Skips damaged messages: Graph sends status 500
 * for each page that contains such a message (microsoftgraph/microsoft-graph-docs issue 2913).
 *
 * @throws MailApiError if Graph cannot read the folder itself, or too many messages are damaged
 */
export async function listAround(
  client: GraphClient,
  { skip: start, ...list }: PositionedList,
  signal: AbortSignal,
): Promise<PageAround> {
  for (let unreadable = 0; ; unreadable++) {
    const skip = start + unreadable
    const page = await readPart(client, { ...list, skip }, signal)
    if (!isPageFailure(page)) return { page, skip, unreadable }
    if (unreadable >= maxInRow) throw page
    await assertServed(client, list.path, signal)
  }
}

/**
 * Checks that Graph can read the folder of a message list, so that a failed page is not due to an
 * outage.
 *
 * @throws MailApiError
 */
async function assertServed(client: GraphClient, path: string, signal: AbortSignal): Promise<void> {
  const folder = path === '/messages' ? '/mailFolders/inbox' : path.replace(/\/messages$/, '')
  await client.json({ path: folder, query: { $select: 'id' }, missing: 'folder-missing', signal })
}

/**
 * Reads a page of a list of Graph messages that starts at a position of the list. Returns the
 * failure of the page if the message at this position is damaged.
 */
async function readPart(
  client: GraphClient,
  { path, query, skip, limit }: PositionedList,
  signal: AbortSignal,
): Promise<ListResponse | MailApiError> {
  let failure: MailApiError | undefined
  for (const size of [limit, ...smallerPages.filter((each) => each < limit)])
    try {
      return await client.json<ListResponse>({
        path,
        query: { ...query, $top: String(size), ...(skip > 0 && { $skip: String(skip) }) },
        missing: 'folder-missing',
        // The Graph request for a single message is repeated: a lasting failure shows that the
        // message is damaged.
        repeatable: size === 1,
        check: assertUsable,
        signal,
      })
    } catch (error) {
      if (!isPageFailure(error)) throw error
      failure = error
    }
  return failure as MailApiError
}

/**
 * Checks that each message of a page of Graph messages has a usable id.
 * @throws MailApiError `unavailable`
 */
function assertUsable(page: unknown): void {
  assertEntries(page)
  if (!entriesOf(page).every(({ id }: GraphMessage) => isId(id)))
    throw incompleteResponse('The provider sent an entry without an id')
}
