import {
  canChroot,
  type OutgoingServer,
  type OutgoingAddress,
  toOutgoingAddress,
  type OutgoingServerOptions,
  startOpenSmtpd,
  startPostfix,
} from '@posthorn/local'
import { cacheDirectory } from '@posthorn/local/paths'
import { testDovecot, type TestDovecot, type TestUser } from './dovecot.ts'
import { sharedServer } from '../private-server.ts'

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

interface Kind {
  name: 'postfix' | 'opensmtpd'
  variable: 'TEST_POSTFIX' | 'TEST_OPENSMTPD'
  start: (options: OutgoingServerOptions) => Promise<OutgoingServer>
}

const postfix = kindOf({ name: 'postfix', variable: 'TEST_POSTFIX', start: startPostfix })
const openSmtpd = kindOf({ name: 'opensmtpd', variable: 'TEST_OPENSMTPD', start: startOpenSmtpd })

/** False with TEST_POSTFIX=off or without root. Tests of Postfix are then skipped. */
export const hasPostfix = postfix.has
/** Returns the Postfix of TEST_POSTFIX, else one that is started for this process. */
export const testPostfix = postfix.use
/** False with TEST_OPENSMTPD=off or without root. Tests of OpenSMTPD are then skipped. */
export const hasOpenSmtpd = openSmtpd.has
/** Returns the OpenSMTPD of TEST_OPENSMTPD, else one that is started for this process. */
export const testOpenSmtpd = openSmtpd.use

function kindOf({ name, variable, start }: Kind): {
  has: () => boolean
  use: () => Promise<TestOutgoing>
} {
  const ownServer = sharedServer(name, async (dir) => {
    const mail = await testDovecot()
    const { lmtpPort, relayPort: worldPort } = mail
    const server = await start({
      dir,
      cache: cacheDirectory(process.env),
      lmtpPort,
      externalPort: worldPort,
    })
    return {
      server,
      async destroy() {
        await server.destroy()
        await mail.drop()
      },
    }
  })
  const configured = () => process.env[variable]
  return {
    has: () => configured() !== 'off' && (configured() !== undefined || canChroot()),
    async use(): Promise<TestOutgoing> {
      const json = configured()
      const address = json ? (JSON.parse(json) as OutgoingAddress) : (await ownServer.use()).server
      const mail = await testDovecot()
      const { submissionPort } = address
      return {
        ...toOutgoingAddress(address),
        mail,
        freshUser: (prefix) => ({ ...mail.freshUser(prefix), submissionPort }),
        async drop() {
          await mail.drop()
          if (!json) await ownServer.release()
        },
      }
    },
  }
}
