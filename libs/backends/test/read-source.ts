// Program that the download tests start as a separate process, unaffected by other tests. Downloads
// the source of one message by IMAP and prints the memory growth of the process.
import { createImapBackend } from '../src/imap/backend.ts'
import type { ConnectOptions } from '../src/mail-session.ts'
import { quietLogger } from './quiet-logger.ts'

const options = JSON.parse(process.argv[2] ?? '') as Omit<ConnectOptions, 'log'>
await using session = await createImapBackend().connect({ ...options, log: quietLogger() })
await session.select('INBOX')
const { rss } = process.memoryUsage()
let bytes = 0
let grown = 0
for await (const piece of (await session.downloadSource(1)).content) {
  bytes += piece.length
  // Above 40 MiB of growth, garbage is collected before the memory is measured, because garbage is
  // no memory that the message's download needs.
  if (process.memoryUsage().rss - rss > 40 * 2 ** 20) globalThis.gc?.()
  grown = Math.max(grown, process.memoryUsage().rss - rss)
}
process.stdout.write(JSON.stringify({ bytes, grown }))
