import {
  type OutgoingAddress,
  type OutgoingServer,
  type OutgoingServerOptions,
  startOpenSmtpd,
  startPostfix,
} from '@posthorn/local'
import { addressIn, sharedServer } from '../private-server.ts'
import { testDovecot, type TestDovecot, type TestUser } from './dovecot.ts'

/** An outgoing server and the mailboxes that receive its mail and reports. */
export interface TestOutgoing extends OutgoingAddress {
  mail: TestDovecot
  /**
   * Returns a new user. `submissionPort` is this server's, the mailbox at `imapPort` receives its
   * reports.
   */
  freshUser: (prefix?: string) => TestUser
  drop: () => Promise<void>
}

/**
 * Returns the Postfix of TEST_POSTFIX, else a Postfix that is started for this process. Needs root.
 */
export const testPostfix = outgoingServer('TEST_POSTFIX', startPostfix)
/** Returns the OpenSMTPD of TEST_OPENSMTPD, as `testPostfix`. */
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
