/** Counters of a Gmail label, as `labels.get` reports them. */
export interface LabelCounts {
  messagesTotal: number
  messagesUnread: number
  threadsTotal: number
  threadsUnread: number
}

interface Counted {
  messages: number
  unread: number
  threads: Set<string>
  unreadThreads: Set<string>
}

interface CountedMessage {
  labels: ReadonlySet<string>
  threadId: string
}

/** Counts the messages of all Gmail labels in one pass. Returns the counters by label id. */
export function countLabels(messages: Iterable<CountedMessage>): (labelId: string) => LabelCounts {
  const counts = new Map<string, Counted>()
  for (const message of messages)
    for (const id of message.labels) {
      const counted = counts.get(id) ?? newCount()
      counts.set(id, counted)
      add(counted, message)
    }
  return (labelId) => {
    const { messages: total, unread, threads, unreadThreads } = counts.get(labelId) ?? newCount()
    return {
      messagesTotal: total,
      messagesUnread: unread,
      threadsTotal: threads.size,
      threadsUnread: unreadThreads.size,
    }
  }
}

function newCount(): Counted {
  return { messages: 0, unread: 0, threads: new Set(), unreadThreads: new Set() }
}

function add(counted: Counted, { labels, threadId }: CountedMessage): void {
  counted.messages++
  counted.threads.add(threadId)
  if (!labels.has('UNREAD')) return
  counted.unread++
  counted.unreadThreads.add(threadId)
}
