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
  /** The user's address; mail to it that is submitted to this server arrives in the inbox. */
  address: string
  host: string
  imapPort: number
  imapsPort: number
  submissionPort: number
}

export interface TestDovecot extends DovecotAddress {
  hub: MailHubAddress
  /** A user nobody has used before, with an empty mailbox. */
  freshUser: (prefix?: string) => TestUser
  /** Puts a message into a user's inbox; resolves when it is there. */
  deliver: (user: string, rfc822: string | Uint8Array) => Promise<void>
  /** What the world outside accepted from `submissionPort`, of one Message-ID or all. */
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

/** A Dovecot and the world outside it: those of TEST_DOVECOT and TEST_MAIL_HUB, else some started for this process. */
export async function testDovecot(): Promise<TestDovecot> {
  const { TEST_DOVECOT: dovecotJson, TEST_MAIL_HUB: hubJson } = process.env
  const given = dovecotJson && hubJson
  const { dovecot, hub } = given
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
    drop: async () => void (given || (await ownServer.release())),
  }
}
