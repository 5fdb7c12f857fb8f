import { apiFlags, emptyMessage, type IndexedMessage } from './indexed-message.ts'

// A leaf (block of messages) of the message index has one bit row for each folder, label and flag.
// The name of a bit row is a letter for its kind, then the folder, label or flag.
const [folderRow, labelRow, flagRow] = ['/', '#', '!']
const recentRow = `${flagRow}recent`

/** Message of a leaf (block of messages) before bit rows set its folder, labels and flags. */
export type UnmarkedMessage = IndexedMessage & { labels: string[] }

export function unmarkedMessage(id: string, threadId: string | undefined): UnmarkedMessage {
  const message = { ...emptyMessage(id), labels: [] }
  return threadId === undefined ? message : { ...message, threadId }
}

/** Sorted bit rows of messages: one per folder, label and flag, with one bit per message. */
export function bitRowsOf(messages: readonly IndexedMessage[]): [name: string, bits: Uint8Array][] {
  const rows = new Map<string, Uint8Array>()
  const length = Math.ceil(messages.length / 8)
  for (const [at, message] of messages.entries())
    for (const name of namesOf(message)) {
      const row = rows.get(name) ?? new Uint8Array(length)
      rows.set(name, row)
      setBit(row, at)
    }
  return [...rows].sort(([one], [other]) => (one < other ? -1 : 1))
}

function namesOf(message: IndexedMessage): string[] {
  const names = message.labels.map((label) => labelRow + label)
  for (const flag of apiFlags) if (message[flag]) names.push(flagRow + flag)
  if (message.folderId !== undefined) names.push(folderRow + message.folderId)
  if (message.recent) names.push(recentRow)
  return names
}

/** Sets a folder, label or flag in all messages whose bit in the bit row is set. */
export function markMessages(
  messages: readonly UnmarkedMessage[],
  name: string,
  bits: Uint8Array,
): void {
  const [kind, value] = [name.charAt(0), name.slice(1)]
  const flag = kind === flagRow ? apiFlags.find((each) => each === value) : undefined
  for (const [index, byte] of bits.entries()) {
    if (byte === 0) continue
    for (let bit = 0; bit < 8; bit++) {
      const message = (byte & (1 << bit)) === 0 ? undefined : messages[index * 8 + bit]
      if (!message) continue
      if (kind === labelRow) message.labels.push(value)
      else if (kind === folderRow) message.folderId = value
      else if (flag) message[flag] = true
      else if (name === recentRow) message.recent = true
    }
  }
}

export function setBit(bits: Uint8Array, at: number): void {
  bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7))
}

export function hasBit(bits: Uint8Array, at: number): boolean {
  return ((bits[at >> 3] ?? 0) & (1 << (at & 7))) !== 0
}
