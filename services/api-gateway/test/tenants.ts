import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { defined } from '@posthorn/contracts/defined'
import { allOperations } from '@posthorn/contracts/operations'
import { shardOf } from '@posthorn/contracts/shards'
import type { Db } from '@posthorn/db'
import { hashToken } from '@posthorn/secrets'
import { startWebhookReceiver, writeExport } from '@posthorn/testkit'
import { sql } from 'kysely'
import { type Call, mint, testServers } from './gateway.ts'
import type { Tenant } from './tenant-fields.ts'
import { recipient, type TenantRequest } from './tenant-requests.ts'
import { exportKey, serveTenants } from './tenant-worker.ts'

/** Permissions record of an access token with every permission that a record can grant. */
export const everything = {
  actions: ['read', 'write', 'send', 'destructive'],
  groups: [...new Set(allOperations.map(({ permission: { group } }) => group).filter(isGranted))],
}

/** No permissions record can grant `admin`. */
function isGranted(group: string): boolean {
  return group !== 'admin'
}

/** Tenant that sends requests, with tokens bound to its account. */
export interface OwnTenant {
  own: Tenant
  bound: string
  limited: string
}

/** Response to an API request as the client receives it. */
export interface RawResponse {
  status: number
  /** Headers and body of the API response. */
  text: string
}

const ownMark = 'own'
const callsOf = (url: string) => ({
  send: async (token: string, { method, path, headers, body }: TenantRequest) => {
    const json = body === undefined ? {} : { 'content-type': 'application/json' }
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...json, ...headers },
      ...(body === undefined ? {} : { body }),
    })
    const lines = [...response.headers].map((header) => header.join(': '))
    return { status: response.status, text: [...lines, await response.text()].join('\n') }
  },
  /** Status of the response to an API request with a raw path, which `fetch` would normalize. */
  rawStatus: async (method: string, path: string, token: string): Promise<number> => {
    const { hostname, port } = new URL(url)
    const headers = { authorization: `Bearer ${token}` }
    const sent = request({ hostname, port, method, path, headers, agent: false }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()
    return response.statusCode ?? 0
  },
})

/**
 * Creates the tenant `other` with one object of each kind, whose texts contain the mark of the
 * tenant. The URLs of the tenant lead to a listener that stands for the operator's own
 * infrastructure.
 */
export async function tenants() {
  const servers = await testServers()
  const { db } = servers
  const { call, url } = await servers.start()
  const listener = await startWebhookReceiver()
  const mark = randomBytes(8).toString('hex')
  const other = {
    ...valuesOf(`other-${mark}`, 2),
    url: `${listener.url}/${mark}`,
    proxy: `http://${mark}:${mark}@127.0.0.1:${listener.port}`,
  }
  const bus = await servers.connectBus()
  const tenantOf = (account: string) => valuesOf(account, 1)
  const commands = await serveTenants(bus, { other, tenantOf })
  await call('POST', '/v1/settings', {
    body: {
      serviceUrl: 'https://posthorn.example',
      enableOAuthTokensApi: true,
      exportMaxConcurrent: 100,
      exportMaxGlobalConcurrent: 100,
    },
  })
  // Tenants that send requests share an SMTP gateway and an OAuth2 application, so that few tables
  // change.
  const { app = '', gateway = '' } = await createShared(call, tenantOf(ownMark))
  const registered = await registerTenant({ call, db }, await createShared(call, other))
  const complete = await createObjects(call, registered)
  const canaries = [mark, ...['template', 'queueId', 'token', 'app'].map((name) => complete[name])]
  let count = 0
  return {
    call,
    db,
    other: complete,
    commands,
    listener,
    ...callsOf(url),
    /** Texts of the tenant `other` that an API response contains although the request did not. */
    leaks: ({ text }: RawResponse, sent = ''): string[] => {
      const unknown = sent === '' ? text : text.replaceAll(sent, '')
      return canaries.filter((canary): canary is string => unknown.includes(canary ?? mark))
    },
    /** Fingerprint of all database rows, except rows of tenants that `newTenant` created. */
    stored: () => fingerprints(db),
    newTenant: async (): Promise<OwnTenant> => {
      count += 1
      const account = `${ownMark}-${count}`
      const values = await registerTenant({ call, db }, { ...tenantOf(account), app, gateway })
      const token = (body: object) => mint(call, { account, description: ownMark, ...body })
      const [bound, limited] = await Promise.all([token({}), token({ permissions: everything })])
      return { own: { ...values, key: `unused-${account}` }, bound, limited }
    },
    stop: async () => {
      await bus[Symbol.asyncDispose]()
      await Promise.all([listener.close(), servers.stop()])
    },
  }
}

/**
 * Ids and texts of a tenant, all with the mark of the tenant. Message ids contain the number of the
 * mailbox.
 */
function valuesOf(mark: string, mailbox: number): Tenant {
  const message = Buffer.from([0, 0, 0, mailbox, 0, 0, 0, 1]).toString('base64url')
  const part = (name: string) =>
    Buffer.concat([Buffer.from(message, 'base64url'), Buffer.from(name)]).toString('base64url')
  return {
    account: mark,
    name: `Name ${mark}`,
    email: `${mark}@mail.example`,
    user: `user-${mark}@mail.example`,
    host: `host-${mark}.mail.example`,
    url: `https://${mark}.example/hook`,
    proxy: `http://proxy-${mark}.example:3128`,
    mailbox: `Mailbox ${mark}`,
    listId: `list-${mark}.example`,
    gateway: `gateway-${mark}`,
    key: `key-${mark}`,
    messageId: `<id-${mark}@mail.example>`,
    emailId: `email-${mark}`,
    webhookRoute: `route-${mark}`,
    uuid: '00000000-0000-4000-8000-000000000000',
    ip: '192.0.2.77',
    cursor: 'imap_eyJwYWdlIjoxfQ',
    changeId: '1',
    message,
    text: part('1'),
    attachment: part('2'),
  }
}

type World = Pick<Awaited<ReturnType<typeof testServers>>, 'db'> & { call: Call }

/** Registers the account of a tenant with a template. Returns the tenant with its id. */
async function registerTenant({ call, db }: World, tenant: Tenant): Promise<Tenant> {
  const { account = '', name } = tenant
  await make(call, '/v1/account', registrationOf(tenant))
  const lastError = JSON.stringify({ response: `Error of ${account}` })
  const state = { account, state: 'connected', initializedAt: new Date(), lastError } as const
  await db.insertInto('accountStates').values(state).execute()
  await db
    .insertInto('accountLogs')
    .values({ account, line: `Line of ${account}` })
    .execute()
  const content = { subject: `Subject of ${account}`, text: 'x' }
  const template = await make(call, '/v1/templates/template', { account, name, content })
  const exportId = await createExport(db, tenant)
  return { ...tenant, exportId, template: String(template['id']) }
}

/** Creates a completed export of a tenant. Its id and its mailbox contain the tenant's mark. */
async function createExport(db: Db, { account = '', mailbox = '' }: Tenant): Promise<string> {
  const exportId = `export-${account}`
  const times = { startDate: new Date(0), endDate: new Date(), expiresAt: new Date('2100-01-01') }
  const options = { textType: '*', maxBytes: '0', includeAttachments: false } as const
  const identity = { exportId, account, shard: shardOf(account), folders: [mailbox], sealed: 'x' }
  await sql`select ensure_export_partition()`.execute(db)
  const day = sql<Date>`(now() at time zone 'UTC')::date`
  await db
    .insertInto('exports')
    .values({ ...identity, ...options, ...times, day })
    .execute()
  await writeExport(db, { exportId, key: exportKey, parts: [Buffer.from(`File of ${account}`)] })
  return exportId
}

/**
 * Creates the objects of a tenant that its account needs for a test. Returns the tenant with the
 * ids of the objects.
 */
async function createObjects(call: Call, tenant: Tenant): Promise<Tenant> {
  const { account = '', name, email, listId, url, key = '' } = tenant
  const letter = { to: { address: recipient }, subject: `Subject of ${account}`, text: 'x' }
  const message = { ...letter, from: { address: email } }
  const submit = `/v1/account/${account}/submit`
  const queued = await make(call, submit, { ...message, headers: { 'idempotency-key': key } })
  const block = { account, recipient, reason: `Reason of ${account}` }
  await make(call, `/v1/blocklist/${listId}`, block)
  const token = hashToken(await mint(call, { account, description: name, metadata: `"${url}"` }))
  return { ...tenant, token, queueId: String(queued['queueId']) }
}

async function make(call: Call, path: string, { headers, ...body }: CreationBody) {
  const answer = await call('POST', path, defined({ body, headers }))
  if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

interface CreationBody {
  [member: string]: unknown
  /** Headers with which the API request is sent, not part of the body. */
  headers?: Record<string, string>
}

/** Creates an SMTP gateway and an OAuth2 application, which belong to the operator. */
async function createShared(call: Call, tenant: Tenant): Promise<Tenant> {
  const { account: user, name, gateway, host } = tenant
  await make(call, '/v1/gateway', { gateway, name, host, port: 587, user, pass: user })
  return { ...tenant, app: await createApp(call, tenant) }
}

async function createApp(call: Call, { name, account }: Tenant): Promise<string> {
  const secrets = { clientId: account, clientSecret: account }
  const redirectUrl = 'https://posthorn.example/oauth'
  const body = { name, provider: 'gmail', enabled: true, redirectUrl, ...secrets }
  return String((await call('POST', '/v1/oauth2', { body })).body['id'])
}

function registrationOf(tenant: Tenant) {
  const { account, name, email, user, host, url, proxy, mailbox, app } = tenant
  const auth = { user, pass: account }
  return {
    account,
    name,
    email,
    webhooks: url,
    webhooksCustomHeaders: [{ key: 'Authorization', value: account }],
    proxy,
    logs: true,
    imap: { host, port: 993, secure: true, auth, sentMailPath: mailbox },
    smtp: { host, port: 587, auth },
    oauth2: { provider: app, auth: { user }, accessToken: account, refreshToken: account },
  }
}

/** Database tables that every API request changes. */
const traces = new Set(['stat_counters', 'token_windows', 'token_log', 'event_ids'])

/** Database columns that change in the background: of published events and used access tokens. */
const passing = ['published_at', 'fanned_out_at', 'last_used_at', 'last_used_ip']

/**
 * Fingerprint of each database table that is not empty, without rows of the tenants that send
 * requests. Most rows belong to these tenants, so the query converts only the other rows to JSON.
 */
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
        from (
          select (to_jsonb(t) - ${passing}::text[])::text as content from ${sql.table(name)} as t
          where t::text !~ ${`\\y${ownMark}-\\d`}
        ) as contents
      `,
    )
  const { rows } = await sql<{ name: string; content: string | null }>`
    select * from (${sql.join(each, sql` union all `)}) as contents where content is not null order by name
  `.execute(db)
  return Object.fromEntries(rows.map(({ name, content }) => [name, content]))
}
