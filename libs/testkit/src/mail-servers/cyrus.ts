import { type CyrusAddress, deliver, startCyrus } from '@posthorn/local'
import { addressIn, sharedServer } from '../private-server.ts'
import { type TestUser, uniqueLogin } from './dovecot.ts'

export interface TestCyrus extends CyrusAddress {
  /**
   * Returns a new user of Cyrus. The mailboxes (INBOX, Drafts, Sent, Trash, Junk, Archive) are
   * created at the first login or delivery.
   */
  freshUser: (prefix?: string) => Omit<TestUser, 'submissionPort'>
  /** Delivers a message to the INBOX of a Cyrus user. Resolves when the message is stored. */
  deliver: (user: string, rfc822: string | Uint8Array) => Promise<void>
  drop: () => Promise<void>
}

const useServer = sharedServer<CyrusAddress>('cyrus', () => addressIn('TEST_CYRUS'), startCyrus)

/**
 * Returns a Cyrus mail server. Uses the server of TEST_CYRUS, or starts a server for this process.
 */
export async function testCyrus(): Promise<TestCyrus> {
  const { address, drop } = await useServer()
  const { host, imapPort, imapsPort, lmtpPort } = address
  return {
    ...address,
    freshUser: (prefix) => ({ ...uniqueLogin(address, prefix), host, imapPort, imapsPort }),
    deliver: (user, rfc822) => deliver(lmtpPort, user, rfc822),
    drop,
  }
}
