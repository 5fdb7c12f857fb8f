import { type AdviceRow, nothingToDo } from '../advice-row.ts'

const failed = `The export of your messages failed. ${nothingToDo}`

/** Advice table for failed exports of messages. The last row matches every error. */
export const exportFailures: readonly AdviceRow[] = [
  {
    id: 'export-login-rejected',
    codes: [
      'AuthenticationFails',
      'AUTHENTICATIONFAILED',
      'OauthRenewError',
      'TokenGenerationError',
    ],
    meaning: 'The export ended because the login of the account was rejected for hours.',
    action: 'Repair the login of the account, then create the export again.',
    ownerText:
      'The export of your messages failed, because your mail provider rejects the login. Please enter your password again, or sign in again.',
    guide: 'connect-accounts#repair-and-change',
  },
  {
    id: 'export-mail-server-unavailable',
    codes: [
      'ConnectionError',
      'IMAPUnavailable',
      'NoAvailable',
      'ETIMEDOUT',
      'ECONNREFUSED',
      'ECONNRESET',
      'UNAVAILABLE',
    ],
    meaning: 'The mail server was unavailable for longer than `SVC_EXPORT_PATIENCE`.',
    action: 'Wait until the account is connected, then create the export again.',
    ownerText: failed,
    guide: 'exports#what-can-go-wrong',
  },
  {
    id: 'export-folder-missing',
    codes: ['FolderNotFound', 'NONEXISTENT', 'MailboxNotFound'],
    meaning: 'A requested mailbox does not exist, or was deleted during the export.',
    action: 'List the mailboxes of the account, and create the export with existing ones.',
    ownerText: failed,
    guide: 'exports#2-create-the-export',
  },
  {
    id: 'export-unknown-error',
    meaning: 'The export ended with an unexpected error. Exports do not continue after a failure.',
    action: 'Read `error` and `phase` of the export, then create the export again.',
    ownerText: failed,
    guide: 'exports#what-can-go-wrong',
  },
]
