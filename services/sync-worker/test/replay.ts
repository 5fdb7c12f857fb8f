import type { StoredEvent } from './world.ts'

/** Flags of messages by UID, in mailboxes by path. */
export type Content = Map<string, Map<number, string>>

interface Folder {
  uidValidity: string
  messages: Map<number, string>
  /**
   * True after a reset of the mailbox, after which a client has to list the earlier messages again.
   */
  relisted: boolean
}

export interface Replayed {
  content: Content
  relisted: Set<string>
}

/**
 * Content of the mailboxes according to the events, except for messages of reset mailboxes. Throws
 * if events contradict each other.
 */
export function replay(events: readonly StoredEvent[]): Replayed {
  const folders = new Map<string, Folder>()
  const ids = new Set<unknown>()
  let deletedJustNow: Folder | undefined
  for (const { event, path = '', data } of events) {
    const before = deletedJustNow
    deletedJustNow = undefined
    const folder = folders.get(path)
    switch (event) {
      case 'mailboxNew': {
        if (folder) throw new Error(`${path} is there already`)
        const uidValidity = String(data['uidValidity'])
        // A renamed mailbox is the same mailbox under another path.
        if (before?.uidValidity === uidValidity) folders.set(path, before)
        else folders.set(path, { uidValidity, messages: new Map(), relisted: false })
        break
      }
      case 'mailboxDeleted':
        if (!folder) throw new Error(`${path} is deleted and was not there`)
        folders.delete(path)
        deletedJustNow = folder
        break
      case 'mailboxReset':
        folders.set(path, {
          uidValidity: String(data['uidValidity']),
          messages: new Map(),
          relisted: true,
        })
        break
      default:
        if (event.startsWith('message')) message(must(folder, path), { event, data, ids })
    }
  }
  return {
    content: new Map([...folders].map(([path, { messages }]) => [path, messages])),
    relisted: new Set([...folders].flatMap(([path, { relisted }]) => (relisted ? [path] : []))),
  }
}

function message(
  { messages, relisted }: Folder,
  { event, data, ids }: Pick<StoredEvent, 'event' | 'data'> & { ids: Set<unknown> },
): void {
  const uid = Number(data['uid'])
  if (event === 'messageNew') {
    if (ids.has(data['id'])) throw new Error(`${uid} is announced twice`)
    ids.add(data['id'])
    messages.set(uid, flagsOf(data['flags']))
  } else if (!messages.has(uid) && !relisted) {
    throw new Error(`${event} of ${uid}, which was not there`)
  } else if (event === 'messageDeleted') {
    messages.delete(uid)
  } else if (event === 'messageUpdated') {
    const { flags } = data['changes'] as { flags: { value: string[] } }
    messages.set(uid, flagsOf(flags.value))
  }
}

export function flagsOf(flags: unknown): string {
  return (flags as string[])
    .filter((flag) => flag !== '\\Recent')
    .sort()
    .join(' ')
}

function must(folder: Folder | undefined, path: string): Folder {
  if (!folder) throw new Error(`a message in ${path}, which is not there`)
  return folder
}
