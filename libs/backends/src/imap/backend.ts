import type { MailBackend } from '../backend.ts'
import { compressCheaply } from './compress.ts'
import { ImapConnection } from './connection.ts'
import { ServerHabits } from './habits.ts'
import { clientOptions, defaultConnectMs } from './options.ts'
import { SecureContexts } from './secure-contexts.ts'
import { ImapSession } from './session.ts'
import { Transcript } from './transcript.ts'
import { defaultTimings, type Timings } from './watch.ts'

/** Accounts behind IMAP servers. The timings are those of watching; tests have shorter ones. */
export function createImapBackend(timings: Timings = defaultTimings): MailBackend {
  const servers = new ServerHabits()
  const contexts = new SecureContexts()
  return {
    async connect(options) {
      const deadline = AbortSignal.timeout(options.connectTimeoutMs ?? defaultConnectMs)
      const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline
      const { log, transcript, credentials } = options
      const habits = servers.of(options)
      const connection = new ImapConnection(
        {
          ...(await clientOptions(options, { signal, contexts })),
          disableCompression: habits.compressesNonsense,
        },
        log,
        transcript && new Transcript(transcript, credentials),
      )
      compressCheaply(connection.client, () => (habits.compressesNonsense = true))
      await connection.connect(signal, timings.keepAliveMs)
      return new ImapSession(connection, credentials.user, { ...timings, habits })
    },
  }
}

export const imapBackend: MailBackend = createImapBackend()
