import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { on } from '@posthorn/bus'
import { accountCommands, type Operation, shardOf } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { hashToken } from '@posthorn/secrets'
import { sql } from 'kysely'
import { mint, registration, testServers } from './gateway.ts'

/** Objects of `other`, keyed by their names in paths and bodies. */
export type Things = Record<string, string>

/**
 * Creates two accounts, `own` and `other`. `other` has one object of each kind. A fake worker holds
 * both and finds no message.
 */
export async function twoTenants() {
  const servers = await testServers()
  const { db } = servers
  const { call, url } = await servers.start()
  const commands: { command: string; account: string }[] = []
  const bus = await servers.connectBus()
  await bus.serve({
    queue: 'private',
    keys: ['own', 'other'].map((account) => `shard.${shardOf(account)}`),
    handlers: Object.values(accountCommands)
      .filter((command) => 'request' in command)
      .map((command) =>
        on(command, async (request: { account: string }) => {
          commands.push({ command: command.name, account: request.account })
          throw new AppError('not-found', 'No such message', { code: 'MessageNotFound' })
        }),
      ),
  })
  for (const account of ['own', 'other']) {
    await call('POST', '/v1/account', { body: registration(account) })
    await db
      .insertInto('accountStates')
      .values({ account, state: 'connected', initializedAt: new Date() })
      .execute()
  }
  const make = async (path: string, body: object, key: string) => {
    const answer = await call('POST', path, { body })
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
    return String(answer.body[key])
  }
  const recipient = 'somebody@mail.example'
  const letter = { to: { address: recipient }, subject: 'Private', text: 'x' }
  const template = { account: 'other', name: 'Private', content: { subject: 'x', text: 'x' } }
  const application = {
    name: 'x',
    provider: 'gmail',
    enabled: true,
    clientId: 'x',
    clientSecret: 'x',
    redirectUrl: 'https://posthorn.example/oauth',
  }
  const server = { name: 'x', host: 'smtp.mail.example', port: 587 }
  const things: Things = {
    account: 'other',
    token: hashToken(await mint(call, { account: 'other' })),
    template: await make('/v1/templates/template', template, 'id'),
    queueId: await make('/v1/account/other/submit', letter, 'queueId'),
    gateway: await make('/v1/gateway', { gateway: 'shared', ...server }, 'gateway'),
    listId: 'list.example',
    webhookRoute: await make(
      '/admin/api/webhookRoutes',
      { name: 'x', targetUrl: 'https://hooks.example/' },
      'id',
    ),
    // The worker resolves message ids within the account of the command.
    message: 'AAAAAQAAAAE',
    text: 'AAAAAQAAAAEx',
    attachment: 'AAAAAQAAAAEy',
    queue: 'submit',
    delivery: randomUUID(),
    replay: randomUUID(),
    app: await make('/v1/oauth2', application, 'id'),
    recipient,
  }
  await call('POST', '/v1/blocklist/list.example', { body: { account: 'other', recipient } })
  return {
    call,
    db,
    commands,
    things,
    stored: () => fingerprints(db),
    /** Status of a request with a raw path, which `fetch` would normalize. */
    rawStatus: async (method: string, path: string, token: string): Promise<number> => {
      const { hostname, port } = new URL(url)
      const headers = { authorization: `Bearer ${token}` }
      const sent = request({ hostname, port, method, path, headers, agent: false }).end()
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      response.resume()
      return response.statusCode ?? 0
    },
    stop: async () => {
      await bus[Symbol.asyncDispose]()
      await servers.stop()
    },
  }
}

/** Tables that every request changes. */
const traces = new Set(['stat_counters', 'token_windows', 'token_log', 'event_ids'])

/** Columns that change in the background: published events, used tokens. */
const passing = ['published_at', 'fanned_out_at', 'last_used_at', 'last_used_ip']

/** Fingerprint of each table that is not empty. */
async function fingerprints(db: Awaited<ReturnType<typeof testServers>>['db']) {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
  `.execute(db)
  const each = tables
    .filter(({ name }) => !traces.has(name))
    .map(
      ({ name }) => sql`
        select ${name} as name, md5(string_agg(content, ',' order by content)) as content
        from (select (to_jsonb(t) - ${passing}::text[])::text as content from ${sql.table(name)} as t) as contents
      `,
    )
  const { rows } = await sql<{ name: string; content: string | null }>`
    select * from (${sql.join(each, sql` union all `)}) as contents where content is not null order by name
  `.execute(db)
  return Object.fromEntries(rows.map(({ name, content }) => [name, content]))
}

/** Request that names the objects of `things`. Fails for an unknown parameter name. */
export function requestFor(
  operation: Operation,
  things: Things,
  body?: unknown,
): readonly [string, string, { body?: unknown }] {
  const path = operation.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = things[name]
    if (value === undefined) throw new Error(`${operation.id} has a ${name}: tenants.ts has none`)
    return encodeURIComponent(value)
  })
  const queries: Things = { ...things, path: 'INBOX' }
  const { properties = {}, required = [] } = (operation.query ?? {}) as {
    properties?: object
    required?: readonly string[]
  }
  const named = Object.keys(properties).filter((key) => key === 'account' || required.includes(key))
  const query = named.map((key) => `${key}=${encodeURIComponent(queries[key] ?? 'x')}`).join('&')
  const method = operation.method.toUpperCase()
  return [method, query ? `${path}?${query}` : path, body === undefined ? {} : { body }]
}
