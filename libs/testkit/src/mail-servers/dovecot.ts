import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import {
  toDovecotAddress,
  type AcceptedMessage,
  deliver,
  type DovecotAddress,
  listAcceptedMessages,
  type MailHubAddress,
  startDovecot,
  startMailHub,
} from '@posthorn/local'
import { cacheDirectory } from '@posthorn/local/paths'
import { sharedServer } from '../private-server.ts'

export interface TestUser {
  user: string
  pass: string
  /** Address of the user. Mail submitted to this server for it arrives in the INBOX. */
  address: string
  host: string
  imapPort: number
  imapsPort: number
  submissionPort: number
}

export interface TestDovecot extends DovecotAddress {
  hub: MailHubAddress
  /** Returns a new user with an empty mailbox. */
  freshUser: (prefix?: string) => TestUser
  /** Delivers a message to a user's INBOX. Resolves when it is stored. */
  deliver: (user: string, rfc822: string | Uint8Array) => Promise<void>
  /**
   * Lists messages that the mail hub accepted from `submissionPort`, optionally with one
   * Message-ID.
   */
  accepted: (messageId?: string) => Promise<AcceptedMessage[]>
  drop: () => Promise<void>
}

const ownServer = sharedServer('dovecot', async (dir) => {
  const dovecot = await startDovecot({ dir, cache: cacheDirectory(process.env) })
  const hub = await startMailHub({ dir, port: dovecot.relayPort, lmtpPort: dovecot.lmtpPort })
  return {
    dovecot,
    hub,
    async destroy() {
      await hub.stop()
      await dovecot.destroy()
      await rm(dir, { recursive: true, force: true })
    },
  }
})

/**
 * Returns the Dovecot and mail hub of TEST_DOVECOT and TEST_MAIL_HUB, else ones that are started
 * for this process.
 */
export async function testDovecot(): Promise<TestDovecot> {
  const { TEST_DOVECOT: dovecotJson, TEST_MAIL_HUB: hubJson } = process.env
  const configured = dovecotJson && hubJson
  const { dovecot, hub } = configured
    ? {
        dovecot: JSON.parse(dovecotJson) as DovecotAddress,
        hub: JSON.parse(hubJson) as MailHubAddress,
      }
    : await ownServer.use()
  const { host, imapPort, imapsPort, lmtpPort, submissionPort, password } = dovecot
  return {
    ...toDovecotAddress(dovecot),
    hub: { host: hub.host, port: hub.port, control: hub.control },
    freshUser(prefix = 'user') {
      const user = `${prefix}-${randomBytes(6).toString('hex')}`
      return {
        user,
        pass: password,
        address: `${user}@mail.test`,
        host,
        imapPort,
        imapsPort,
        submissionPort,
      }
    },
    deliver: (user, rfc822) => deliver(lmtpPort, user, rfc822),
    accepted: (messageId) => listAcceptedMessages(hub.control, messageId),
    drop: async () => void (configured || (await ownServer.release())),
  }
}
