import { type SaslauthdOptions, serveSaslauthd } from './protocol.ts'

// Runs the password checker, a server of the saslauthd protocol: node main.ts
// '{"socket":…,"password":…}'
const server = await serveSaslauthd(JSON.parse(process.argv[2] ?? '{}') as SaslauthdOptions)
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => void server[Symbol.asyncDispose]().then(() => process.exit()))
