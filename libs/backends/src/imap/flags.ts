import { AppError } from '@posthorn/errors'
import type { ImapConnection } from './connection.ts'
import { messageNotFound } from './errors.ts'

export interface FlagsChange {
  add?: readonly string[]
  remove?: readonly string[]
}

/**
 * Adds, then removes. A STORE to a UID that is gone is answered with OK, and flags that a mailbox does not keep are dropped without a
 * word: so the message is looked at afterwards.
 */
export async function changeFlags(
  connection: ImapConnection,
  uid: number,
  { add = [], remove = [] }: FlagsChange,
): Promise<void> {
  const mailbox = connection.open
  await connection.call(async (client) => {
    const range = String(uid)
    const row = await client.fetchOne(range, { uid: true, flags: true }, { uid: true })
    if (!row || row.uid !== uid) throw messageNotFound()
    if (add.length > 0 && !(await client.messageFlagsAdd(range, [...add], { uid: true })))
      throw client.mailbox && client.mailbox.readOnly
        ? new AppError('rejected', 'The mailbox is open for reading only', { code: 'READ-ONLY' })
        : connection.refused('keep the flags')
    if (remove.length > 0 && !(await client.messageFlagsRemove(range, [...remove], { uid: true })))
      throw connection.refused('remove the flags')
  }, mailbox)
}
