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

/** An outgoing server, and the mailboxes its mail and its reports end up in. */
export interface TestOutgoing extends OutgoingAddress {
  mail: TestDovecot
  /** A user nobody has used before: `submissionPort` is this server's, the mailbox is at `imapPort`, where its reports come in. */
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

/** False where one has asked to do without (TEST_POSTFIX=off), or is not root: tests of Postfix are then to be skipped. */
export const hasPostfix = postfix.has
/** A Postfix: that of TEST_POSTFIX, else one started for this process. */
export const testPostfix = postfix.use
/** False where one has asked to do without (TEST_OPENSMTPD=off), or is not root: tests of OpenSMTPD are then to be skipped. */
export const hasOpenSmtpd = openSmtpd.has
/** An OpenSMTPD: that of TEST_OPENSMTPD, else one started for this process. */
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
  const given = () => process.env[variable]
  return {
    has: () => given() !== 'off' && (given() !== undefined || canChroot()),
    async use(): Promise<TestOutgoing> {
      const json = given()
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
