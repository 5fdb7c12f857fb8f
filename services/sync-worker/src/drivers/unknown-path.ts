import { AppError } from '@posthorn/errors'
import type { MailboxRefusal } from './account-driver.ts'

/** Report of a `path` of the account that matches no mailbox: nothing is synced for such a path. */
export function unknownPathRefusal(path: string): MailboxRefusal {
  const error = new AppError('not-found', 'The folder does not exist', { code: 'FolderNotFound' })
  return { path, error }
}
