import { type LoginsOptions, serveLogins } from './logins-server.ts'

// node logins-main.ts '{"socket":…,"password":…}'
const logins = await serveLogins(JSON.parse(process.argv[2] ?? '{}') as LoginsOptions)
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => void logins[Symbol.asyncDispose]().then(() => process.exit()))
