/** Position of an exported message: number of the mailbox, and UID of the message. */
export interface EntryPosition {
  mailbox: number
  uid: number
}

/** Id of a message in the message list of an export. */
export function entryIdOf({ mailbox, uid }: EntryPosition): string {
  return `${mailbox}.${uid}`
}

export function entryPositionOf(id: string): EntryPosition {
  const [mailbox, uid] = id.split('.')
  return { mailbox: Number(mailbox), uid: Number(uid) }
}
