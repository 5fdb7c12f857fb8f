import { afterAll, expect, test } from '@jest/globals'
import type { Operation } from '@posthorn/contracts/define'
import { eventNames, events } from '@posthorn/contracts/events'
import { allOperations, operations } from '@posthorn/contracts/operations'
import { hasTenantBody, tenantBody } from '@posthorn/contracts/visible-failures'
import { sql } from 'kysely'
import { mint } from './gateway.ts'
import { kindOf, stringFields, textMembers } from './tenant-fields.ts'
import { requestWith } from './tenant-requests.ts'
import { everything, tenants } from './tenants.ts'

const world = await tenants()
afterAll(world.stop)
const { call, db, listener, newTenant, send } = world

/** Banner of a service in the operator's network, which no response to a tenant may contain. */
const canary = 'internal-banner'
const failure = { response: canary, description: canary, serverResponseCode: 'ECONNREFUSED' }
const sendingFailure = { message: canary, code: 'ECONNREFUSED', response: canary, command: 'CONN' }

/**
 * Stores the canary (secret text of the operator's network) in each place where the failed
 * connection of an account leaves a text.
 */
async function failConnections(account: string, queueId: string): Promise<void> {
  const lastError = JSON.stringify(failure)
  await db
    .updateTable('accountStates')
    .set({ state: 'connectError', lastError })
    .where('account', '=', account)
    .execute()
  await db
    .insertInto('accountLogs')
    .values({ account, line: `S: ${canary}` })
    .execute()
  await sql`
    insert into account_changes (account, type, key, payload)
    values (${account}, 'state', 'connectError', ${JSON.stringify({ error: failure })}::jsonb)
  `.execute(db)
  await sql`
    update outbox set last_error = ${JSON.stringify(sendingFailure)}::jsonb, state = 'failed',
      finished_at = now(), attempts = 1
    where queue_id = ${queueId}
  `.execute(db)
  await sql`
    update exports set error = ${canary}, error_code = 'ECONNREFUSED', status = 'failed'
    where account = ${account}
  `.execute(db)
}

const readers = ['bound', 'limited'] as const
const isRead = ({ method, produces, hidden }: Operation) =>
  method === 'get' && produces !== 'text/event-stream' && hidden !== true
const reads = allOperations.filter(isRead).map((operation) => [operation.id, operation] as const)

test.each(reads)('%s: does not show a tenant why a connection failed', async (_id, operation) => {
  const { own, bound } = await newTenant()
  const { account = '' } = own
  const letter = { to: [{ address: 'x@mail.example' }], subject: 'x', text: 'x' }
  const queued = await call('POST', `/v1/account/${account}/submit`, { body: letter })
  const queueId = String(queued.body['queueId'])
  await failConnections(account, queueId)
  const tokens = { bound, limited: await mint(call, { permissions: everything }) }
  for (const reader of readers) {
    const request = requestWith(operation, { token: bound, ...own, queueId }, {})
    expect((await send(tokens[reader], request)).text).not.toContain(canary)
  }
})

test('self-test: an operator reads the reason in states, logs, the outbox and exports', async () => {
  const { own } = await newTenant()
  const { account = '' } = own
  const letter = { to: [{ address: 'x@mail.example' }], subject: 'x', text: 'x' }
  const queued = await call('POST', `/v1/account/${account}/submit`, { body: letter })
  const queueId = String(queued.body['queueId'])
  await failConnections(account, queueId)
  const operator = await mint(call, {})
  const { getAccount, getLogs, getOutboxEntry, getExport } = operations
  for (const operation of [getAccount, getLogs, getOutboxEntry, getExport]) {
    const request = requestWith(operation, { ...own, queueId }, {})
    expect((await send(operator, request)).text).toContain(canary)
  }
})

/**
 * Members of an account as the API returns them, by origin: values of the registration, own data,
 * or texts of servers.
 */
const recordMembers: Record<string, 'registered' | 'own' | 'failure'> = {
  ...groupOf('registered', 'account name email app webhooks proxy smtpEhloName expectedEmail'),
  ...groupOf('registered', 'oauth2 webhooksCustomHeaders notifyFrom path subconnections'),
  ...groupOf('registered', 'imapIndexer imap smtp locale tz'),
  // Members of an account that describe its state after a login: mailboxes, quota and times.
  ...groupOf('own', 'syncTime syncError quota authFailureDisabledAt stateDetail'),
  ...groupOf('failure', 'lastError smtpStatus outlookSubscription'),
}

function groupOf<K extends string>(kind: K, names: string): Record<string, K> {
  return Object.fromEntries(names.split(' ').map((name) => [name, kind]))
}

test('getAccount: every text of the record is classified', () => {
  const members = textMembers(operations.getAccount.response)
  expect(members.filter((name) => !Object.hasOwn(recordMembers, name))).toEqual([])
})

/**
 * Events by the origin of their texts. Texts of the kind `failure` may come from a server that is
 * no mail server.
 */
const eventKinds: Record<string, 'system' | 'mail' | 'failure'> = {
  ...groupOf('system', 'accountAdded accountDeleted accountInitialized authenticationSuccess'),
  ...groupOf(
    'system',
    'exportCompleted messageMissing listSubscribe listUnsubscribe trackClick trackOpen',
  ),
  ...groupOf('mail', 'mailboxDeleted mailboxNew mailboxReset messageDeleted messageNew'),
  ...groupOf('mail', 'messageUpdated messageBounce messageComplaint messageSent'),
  ...groupOf('failure', 'authenticationError connectError messageDeliveryError messageFailed'),
  ...groupOf('failure', 'exportFailed'),
}

test.each(eventNames)('%s: is classified, and a failure has a body for tenants', (event) => {
  expect(Object.hasOwn(eventKinds, event)).toBe(true)
  expect(hasTenantBody(event)).toBe(eventKinds[event] === 'failure')
})

/**
 * Members of recorded failures that name objects of the tenant. All other members of a failure are
 * hidden from the tenant.
 */
const ownMembers = [
  'queueId',
  'envelope',
  'messageId',
  'networkRouting',
  'job',
  'exportId',
  'phase',
]
const failures = eventNames.filter((event) => eventKinds[event] === 'failure')

test.each(failures)('%s: no text of a failed connection is in the body for tenants', (event) => {
  const members = textMembers(events[event].data)
  const texts = members
    .filter((name) => !ownMembers.includes(name) && name !== 'tokenRequest')
    .map((name) => [name, name.endsWith('Code') ? 'ECONNREFUSED' : canary])
  expect(texts.length).toBeGreaterThan(0)
  const data = { ...Object.fromEntries(texts), smtpCommand: 'CONN' } as object
  const shown = tenantBody(event, JSON.stringify({ event, data }))
  expect(shown).not.toBeNull()
  expect(shown).not.toMatch(/internal-banner|ECONNREFUSED/)
})

/** Fields of an account by which a tenant reaches a host or a receiver, with their limit. */
const reaching: Record<string, 'origin is stored' | 'refused'> = {
  'body.webhooks': 'origin is stored',
  'body.imap.host': 'origin is stored',
  'body.smtp.host': 'origin is stored',
  'body.webhooksCustomHeaders.key': 'origin is stored',
  'body.webhooksCustomHeaders.value': 'origin is stored',
  'body.proxy': 'refused',
}
const hosts = ['url', 'host', 'proxy'].map((name) => world.other[name])
/**
 * Fields of an account to which Posthorn does not connect: the EHLO name, and a URL that only the
 * owner's browser opens.
 */
const notConnected = ['body.smtpEhloName', 'body.oauth2.redirectUrl']
const isReaching = (label: string) => {
  const kind = kindOf({ label })
  const isHeader = label.startsWith('body.webhooksCustomHeaders')
  return (
    isHeader || (kind !== undefined && kind !== 'plain' && hosts.includes(kind.of(world.other)))
  )
}

test('updateAccount: the origin of every field that reaches a host or receiver is stored', async () => {
  const labels = stringFields(operations.updateAccount).map(({ label }) => label)
  const reached = labels.filter((label) => isReaching(label) && !notConnected.includes(label))
  expect(reached.sort()).toEqual(Object.keys(reaching).sort())
  const { own, bound } = await newTenant()
  const path = `/v1/account/${own['account']}`
  await call('PUT', path, { body: { webhooks: '', webhooksCustomHeaders: [], oauth2: false } })
  const auth = { user: 'new', pass: 'new' }
  const body = {
    imap: { host: 'imap.scan.example', port: 993, secure: true, auth },
    smtp: { host: 'smtp.scan.example', port: 465, auth },
    webhooks: listener.url,
    webhooksCustomHeaders: [{ key: 'Cookie', value: 'x' }],
  }
  expect((await call('PUT', path, { token: bound, body })).status).toBe(200)
  const { tenantSet } = await db
    .selectFrom('accounts')
    .select('tenantSet')
    .where('account', '=', own['account'] ?? '')
    .executeTakeFirstOrThrow()
  const stored = Object.entries(reaching).filter(([, limit]) => limit === 'origin is stored')
  const members = new Set(stored.map(([label]) => label.split('.')[1]))
  expect(new Set<string | undefined>(tenantSet)).toEqual(members)
})
