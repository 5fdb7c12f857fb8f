import { type SaslauthdOptions, serveSaslauthd } from './protocol.ts'

// node logins-main.ts '{"socket":…,"password":…}'
const logins = await serveSaslauthd(JSON.parse(process.argv[2] ?? '{}') as SaslauthdOptions)
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => void logins[Symbol.asyncDispose]().then(() => process.exit()))
