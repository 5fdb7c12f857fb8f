import type { MailBackend } from '../backend.ts'
import { compressCheaply } from './compress.ts'
import { ImapConnection } from './connection.ts'
import { clientOptions, defaultConnectMs } from './options.ts'
import { ImapSession } from './session.ts'
import { Transcript } from './transcript.ts'
import { defaultTimings, type Timings } from './watch.ts'

/** Servers that offer COMPRESS and then send what cannot be unpacked. */
const maxServers = 1_000

/** Accounts behind IMAP servers. The timings are those of watching; tests have shorter ones. */
export function createImapBackend(timings: Timings = defaultTimings): MailBackend {
  const plainly = new Set<string>()
  return {
    async connect(options) {
      const deadline = AbortSignal.timeout(options.connectTimeoutMs ?? defaultConnectMs)
      const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline
      const { log, transcript, credentials } = options
      const server = `${options.host}:${options.port}`
      const connection = new ImapConnection(
        {
          ...(await clientOptions(options, signal)),
          disableCompression: plainly.has(server),
        },
        log,
        transcript && new Transcript(transcript, credentials),
      )
      compressCheaply(connection.client, () => {
        if (plainly.size < maxServers) plainly.add(server)
      })
      await connection.connect(signal, timings.keepAliveMs)
      return new ImapSession(connection, credentials.user, timings)
    },
  }
}

export const imapBackend: MailBackend = createImapBackend()
