import { accountTypeOf, type Backend } from '@posthorn/contracts/account-types'

/** Columns that decide whether an account has a mailbox. */
export interface MailboxColumns {
  /** Mail system of the account. */
  backend: Backend
  /**
   * Incoming server of the account. Accounts of a mail API have no incoming server, or a disabled
   * server if they only send.
   */
  imap: { disabled?: boolean } | null
}

/**
 * True if the account has no mailbox, or its OAuth2 grant does not permit reading the mailbox.
 * Pure.
 */
export function isSendOnly(account: MailboxColumns): boolean {
  const { imap } = account
  return accountTypeOf(account).readsBy === 'imap' ? imap === null : imap?.disabled === true
}

/**
 * True if the account has a mailbox that can be used: at a mail API, or at an IMAP server that is
 * not disabled. Pure.
 */
export function hasMailbox(account: MailboxColumns): boolean {
  return !isSendOnly(account) && account.imap?.disabled !== true
}
