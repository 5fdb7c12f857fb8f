import { serveMailHub } from './smtp.ts'

// Runs the mail hub (test server for outgoing mail): node main.ts
// '{"port":…,"controlPort":…,"bind":"127.0.0.1","lmtpPort":…}'
const hub = await serveMailHub(
  JSON.parse(process.argv[2] ?? '{}') as Parameters<typeof serveMailHub>[0],
)
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => void hub[Symbol.asyncDispose]().then(() => process.exit()))
