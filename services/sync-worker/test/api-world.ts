import { randomUUID } from 'node:crypto'
import { MailApiError, type MailApi, type MailApiAccess } from '@posthorn/backends/mail-api'
import type { Provider } from '@posthorn/backends/provider-limits'
import { MailApiModel, type MailApiModelOptions } from '@posthorn/testkit/mail-api-model'
import type { AppParts } from '../src/app.ts'
import type { Config } from '../src/config.ts'
import type { CreateMailApis } from '../src/sessions/create-sessions.ts'
import { apiApplication, testWorld, type WorldOptions } from './world.ts'

const user = 'jane@mail.example'

/** Mailbox of the model that stands for one account at a provider. */
export interface ApiMailbox {
  readonly account: string
  readonly model: MailApiModel
  /** Only access token that the fake provider accepts for the mailbox. */
  token: string
}

type Placement = MailApiModelOptions['placement']

export const providerOf: Record<Placement, Provider> = { labels: 'gmail', folder: 'graph' }

/**
 * Test world whose mail providers are model mailboxes. The clients check access tokens like clients
 * of real providers do.
 */
export async function apiWorld(options: WorldOptions = {}) {
  const world = await testWorld(options)
  const mailboxes = new Map<string, ApiMailbox>()
  const createClient = (access: MailApiAccess): MailApi => {
    const mailbox = mailboxes.get(access.account)
    if (!mailbox) throw new Error(`no mailbox of ${access.account}`)
    return clientOf(mailbox, access)
  }
  const createMailApis: CreateMailApis = () => ({ gmail: createClient, graph: createClient })

  /** Registers an account, as api-gateway does, with a separate mailbox. */
  const registerApi = async (
    placement: Placement,
    options: Partial<MailApiModelOptions> & {
      fill?: (model: MailApiModel) => void
      path?: string[]
    } = {},
  ): Promise<ApiMailbox> => {
    const { fill, path = [], ...modelOptions } = options
    const seed = mailboxes.size + 1
    const model = new MailApiModel({ placement, seed, now: () => new Date(), ...modelOptions })
    fill?.(model)
    const account = world.newId()
    const mailbox = { account, model, token: 'token-1' }
    mailboxes.set(account, mailbox)
    await insertAccount(account, placement, path)
    return mailbox
  }
  const insertAccount = (account: string, placement: Placement, path: string[] = []) =>
    world.registerApi(providerOf[placement], { account, user, accessToken: 'token-1', path })
  /** Sets the access token that the fake of auth-bridge returns for an account from now on. */
  const setToken = (account: string, accessToken: string): void => {
    const expires = new Date(Date.now() + 3_600_000).toISOString()
    world.credentials.set(account, { user, accessToken, expires, application: apiApplication })
  }
  const startApiWorker = (over: Partial<Config> = {}, parts: AppParts = {}) =>
    world.startWorker({ apiPollMs: 200, ...over }, { createMailApis, ...parts })
  return { ...world, registerApi, insertAccount, setToken, startApiWorker }
}

export type ApiWorld = Awaited<ReturnType<typeof apiWorld>>

/**
 * Client of a model mailbox that logs in before each request, and renews a rejected access token
 * once.
 */
function clientOf(mailbox: ApiMailbox, access: MailApiAccess): MailApi {
  const { api } = mailbox.model
  const logIn = async (signal: AbortSignal): Promise<void> => {
    for (const fresh of [false, true]) {
      const { accessToken } = await access.login({ fresh, signal })
      if (accessToken === mailbox.token) return
    }
    throw new MailApiError('token-rejected', 'Invalid Credentials', { status: 401 })
  }
  return new Proxy(api, {
    get(_target, name) {
      const member: unknown = Reflect.get(api, name)
      if (typeof member !== 'function' || name === 'feeds')
        return typeof member === 'function' ? member.bind(api) : member
      return async (...call: unknown[]) => {
        await logIn(call.at(-1) as AbortSignal)
        return (member as (...call: unknown[]) => unknown).apply(api, call)
      }
    },
  }) as MailApi
}

/** MIME source of a message. */
export function mime(subject: string, further: readonly string[] = []): string {
  const headers = [
    'From: Ann <ann@example.com>',
    'To: jane@mail.example',
    `Subject: ${subject}`,
    `Message-ID: <${randomUUID()}@example.com>`,
    'Date: Mon, 02 Nov 2026 10:00:00 +0000',
    ...further,
  ]
  return further.some((line) => line === '')
    ? headers.join('\r\n')
    : [...headers, '', 'Hello'].join('\r\n')
}
