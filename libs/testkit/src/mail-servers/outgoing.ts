import {
  type OutgoingAddress,
  type OutgoingServer,
  type OutgoingServerOptions,
  startOpenSmtpd,
  startPostfix,
} from '@posthorn/local'
import { addressIn, sharedServer } from '../private-server.ts'
import { testDovecot, type TestDovecot, type TestUser } from './dovecot.ts'

/** Outgoing mail server of tests, and the mailboxes that receive its mail and reports. */
export interface TestOutgoing extends OutgoingAddress {
  mail: TestDovecot
  /**
   * Returns a new user of the outgoing test server. `submissionPort` is the port of this server.
   * The mailbox at `imapPort` receives the server's reports.
   */
  freshUser: (prefix?: string) => TestUser
  drop: () => Promise<void>
}

/**
 * Returns a Postfix mail server. Uses the server of TEST_POSTFIX, or starts a server for this
 * process, which needs root.
 */
export const testPostfix = outgoingServer('TEST_POSTFIX', startPostfix)
/**
 * Returns an OpenSMTPD mail server. Uses the server of TEST_OPENSMTPD, or starts a server for this
 * process.
 */
export const testOpenSmtpd = outgoingServer('TEST_OPENSMTPD', startOpenSmtpd)

function outgoingServer(
  variable: string,
  start: (options: OutgoingServerOptions) => Promise<OutgoingServer>,
): () => Promise<TestOutgoing> {
  const useServer = sharedServer<OutgoingAddress>(
    'outgoing',
    () => addressIn(variable),
    async (directories) => {
      const mail = await testDovecot()
      const { lmtpPort, relayPort: externalPort } = mail
      const server = await start({ ...directories, lmtpPort, externalPort })
      return {
        address: server.address,
        async destroy() {
          await server.destroy()
          await mail.drop()
        },
      }
    },
  )
  return async () => {
    const { address, drop } = await useServer()
    const mail = await testDovecot()
    const { submissionPort } = address
    return {
      ...address,
      mail,
      freshUser: (prefix) => ({ ...mail.freshUser(prefix), submissionPort }),
      async drop() {
        await mail.drop()
        await drop()
      },
    }
  }
}
