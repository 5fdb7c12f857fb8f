import { accountTypeOf, type Backend } from '@posthorn/contracts/account-types'

/** Columns that decide whether an account has a mailbox. */
export interface MailboxColumns {
  /** Mail system that serves the account, such as IMAP or Gmail. */
  backend: Backend
  /**
   * Incoming mail server of the account. Null for an account with a mail API, unless the account
   * only sends: its incoming server is then disabled.
   */
  imap: { disabled?: boolean } | null
}

/**
 * True if the account has no mailbox, or its OAuth2 grant does not permit reading the mailbox. Pure
 * function.
 */
export function isSendOnly(account: MailboxColumns): boolean {
  const { imap } = account
  return accountTypeOf(account).readsBy === 'imap' ? imap === null : imap?.disabled === true
}

/**
 * True if the account has a mailbox that can be used, at a mail API or at an IMAP server that is
 * not disabled. Pure function.
 */
export function hasMailbox(account: MailboxColumns): boolean {
  return !isSendOnly(account) && account.imap?.disabled !== true
}
