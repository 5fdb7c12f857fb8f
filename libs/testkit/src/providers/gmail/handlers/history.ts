import type { GmailState, MailboxHandler } from '../gmail-state.ts'
import { GmailFailure, invalid, notFound } from '../failures.ts'
import type { FakeRecord } from '../mailbox.ts'

const defaultLimit = 100
const maxLimit = 500

export function historyHandlers(gmail: GmailState): Record<string, MailboxHandler> {
  return {
    'history.list': (mailbox, { query }) => {
      const start = query.get('startHistoryId')
      if (start === null)
        throw new GmailFailure(400, 'invalidArgument', 'Missing/invalid parameter: startHistoryId')
      if (BigInt(start) < mailbox.oldest) throw notFound()
      const visible = mailbox.readHistory()
      const historyId = String(visible.historyId > BigInt(start) ? visible.historyId : start)
      const after = positionOf(gmail, query.get('pageToken')) ?? BigInt(start)
      if (gmail.switches.emptyHistoryPages > 0) {
        gmail.switches.emptyHistoryPages--
        return { body: { nextPageToken: newToken(gmail, after), historyId } }
      }
      const limit = Math.min(Number(query.get('maxResults') ?? defaultLimit), maxLimit)
      const records = visible.records.filter(({ id }) => id > after)
      const history = records.slice(0, limit).map((record) => describeRecord(gmail, record))
      const last = records[limit - 1]
      const isMore = records.length > limit && last !== undefined
      return {
        body: {
          ...(history.length > 0 && { history }),
          ...(isMore && { nextPageToken: newToken(gmail, last.id) }),
          historyId,
        },
      }
    },
  }
}

function newToken(gmail: GmailState, after: bigint): string {
  const token = `1${gmail.pageTokens.size + 1}5550093`
  gmail.pageTokens.set(token, String(after))
  return token
}

function positionOf(gmail: GmailState, token: string | null): bigint | undefined {
  if (token === null) return undefined
  const position = gmail.pageTokens.get(token)
  if (position === undefined) throw invalid('Invalid pageToken')
  return BigInt(position)
}

function describeRecord(gmail: GmailState, { id, message, kinds }: FakeRecord): object {
  const { labelIds, ...ids } = message
  const hasLabels = !gmail.switches.omitsLabelIds && labelIds.length > 0
  const described = hasLabels ? message : ids
  const changes = Object.entries(kinds).map(([kind, labels]) => [
    kind,
    [{ message: described, ...(labels.length > 0 && { labelIds: labels }) }],
  ])
  return { id: String(id), messages: [ids], ...Object.fromEntries(changes) }
}
