import type { ImapBackend } from '../mail-session.ts'
import { enableCompression } from './connection/compress.ts'
import { ImapConnection } from './connection/connection.ts'
import { QuirkCache } from './connection/server-quirks.ts'
import { clientOptions, defaultConnectMs } from './connection/options.ts'
import { SecureContexts } from './connection/secure-contexts.ts'
import { ImapSession } from './session.ts'
import { Transcript } from './connection/transcript.ts'
import { defaultTimings, type Timings } from './watch.ts'

/**
 * Creates an IMAP client with its own caches. `timings` has the intervals and timeouts of `watch`,
 * which tests shorten.
 */
export function createImapBackend(timings: Timings = defaultTimings): ImapBackend {
  const servers = new QuirkCache()
  const contexts = new SecureContexts()
  return {
    async connect(options) {
      const deadline = AbortSignal.timeout(options.connectTimeoutMs ?? defaultConnectMs)
      const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline
      const { log, transcript, credentials, faults } = options
      const quirks = servers.get(options)
      const connection = new ImapConnection(
        {
          ...(await clientOptions(options, { signal, contexts })),
          disableCompression: quirks.sendsInvalidDeflate,
        },
        log,
        { faults, transcript: transcript && new Transcript(transcript, credentials) },
      )
      enableCompression(connection.client, () => (quirks.sendsInvalidDeflate = true))
      await connection.connect(signal, timings.keepAliveMs)
      return new ImapSession(connection, credentials.user, { ...timings, quirks })
    },
  }
}

export const imapBackend: ImapBackend = createImapBackend()
