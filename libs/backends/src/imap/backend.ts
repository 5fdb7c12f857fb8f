import type { MailBackend } from '../backend.ts'
import { ImapConnection } from './connection.ts'
import { clientOptions, defaultConnectMs } from './options.ts'
import { ImapSession } from './session.ts'
import { Transcript } from './transcript.ts'
import { defaultTimings, type Timings } from './watch.ts'

/** Accounts behind IMAP servers. The timings are those of watching; tests have shorter ones. */
export function createImapBackend(timings: Timings = defaultTimings): MailBackend {
  return {
    async connect(options) {
      const deadline = AbortSignal.timeout(options.connectTimeoutMs ?? defaultConnectMs)
      const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline
      const { log, transcript, credentials } = options
      const connection = new ImapConnection(
        await clientOptions(options, signal),
        log,
        transcript && new Transcript(transcript, credentials),
      )
      await connection.connect(signal, timings.keepAliveMs)
      return new ImapSession(connection, credentials.user, timings)
    },
  }
}

export const imapBackend: MailBackend = createImapBackend()
