import { readConfig } from '../src/config.ts'
import { startApp } from '../src/app.ts'
import { type MailApi, MailApiError, type MailApiFailure } from '@posthorn/backends/mail-api'
import { createProviderClients } from '@posthorn/backends/provider-clients'

// Program: a sender for which Gmail is a model in the parent process, and Graph a fake. Started by
// `model-host.ts`.

/** Call of a mail API. */
export interface RemoteCall {
  id: number
  account: string
  method: keyof MailApi
  /** Without the signal. */
  args: unknown[]
}

/** Result of a call, or its failure. */
export interface RemoteReply {
  id: number
  result?: unknown
  failure?: { failure: MailApiFailure; message: string }
}

const pending = new Map<number, PromiseWithResolvers<unknown>>()
let lastId = 0

process.on('message', ({ id, result, failure }: RemoteReply) => {
  const call = pending.get(id)
  pending.delete(id)
  if (failure) call?.reject(new MailApiError(failure.failure, failure.message))
  else call?.resolve(result)
})
process.on('disconnect', () => process.exit(1))

function remoteApi(account: string): MailApi {
  const call =
    (method: keyof MailApi) =>
    (...args: unknown[]) => {
      const id = ++lastId
      const reply = Promise.withResolvers<unknown>()
      pending.set(id, reply)
      process.send?.({ id, account, method, args: args.slice(0, -1) } satisfies RemoteCall)
      return reply.promise
    }
  return new Proxy({} as MailApi, { get: (_target, name) => call(name as keyof MailApi) })
}

await startApp(readConfig(process.env), new AbortController().signal, {
  createMailApis(stack, { limiter, proxy, config }) {
    const { oauthEgressPolicy: policy, providerOrigins: mappedOrigins } = config
    const clients = createProviderClients(stack, { limiter, proxy, policy, mappedOrigins })
    return { ...clients, gmail: ({ account }) => remoteApi(account) }
  },
})
