// Separate process of the download cases, unaffected by other tests. Reads one source and prints
// the memory growth of the process.
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
  // Only reachable memory counts, not garbage before the next GC.
  if (process.memoryUsage().rss - rss > 40 * 2 ** 20) globalThis.gc?.()
  grown = Math.max(grown, process.memoryUsage().rss - rss)
}
process.stdout.write(JSON.stringify({ bytes, grown }))
